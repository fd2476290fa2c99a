-- All orders of six elements, made by exchanging two at a time and exchanging them back.
-- The size says how often; each time 8660 calls are counted.
local Permute = {}
Permute.__index = Permute

function Permute.new() return setmetatable({count = 0, elements = {}}, Permute) end

function Permute:swap(i, j)
  local elements = self.elements
  elements[i], elements[j] = elements[j], elements[i]
end

function Permute:permute(n)
  self.count = self.count + 1
  if n == 0 then return end
  self:permute(n - 1)
  for i = n, 1, -1 do
    self:swap(n, i)
    self:permute(n - 1)
    self:swap(n, i)
  end
end

function Permute:calls()
  self.count = 0
  self.elements = {1, 2, 3, 4, 5, 6}
  self:permute(6)
  return self.count
end

function Permute:is_sorted()
  for i = 2, #self.elements do
    if self.elements[i - 1] > self.elements[i] then return false end
  end
  return true
end

function Permute:run(size)
  local total = 0
  for _ = 1, size do
    local calls = self:calls()
    if calls ~= 8660 or not self:is_sorted() then
      error(calls .. " calls for 8660, leaving " .. table.concat(self.elements, " "))
    end
    total = total + calls
  end
  return total
end

print("permute: " .. Permute.new():run(math.tointeger(arg[1])))
