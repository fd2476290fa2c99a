local Cell = {}; Cell.__index = Cell
function Cell:content() return self.value end
function Cell:setContent(v) self.value = v end
local function run(n)
  local cell = setmetatable({}, Cell)
  cell:setContent(0)
  local i = 0
  while i < n do cell:setContent(cell:content() + 1); i = i + 1 end
  return cell:content()
end
print(run(10000000))
