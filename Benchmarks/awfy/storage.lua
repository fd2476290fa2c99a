-- A tree of arrays, each of the four places of a node holding a node, down to empty arrays of
-- random sizes from 1 to 10. The size says how many trees are built; each counts 5461 arrays.
local RandomSource = {}
RandomSource.__index = RandomSource

function RandomSource.new() return setmetatable({seed = 74755}, RandomSource) end

function RandomSource:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

local Storage = {}
Storage.__index = Storage

function Storage.new() return setmetatable({}, Storage) end

-- A table holds no nil: false stands for it.
local function empty_array(length)
  local array = {}
  for i = 1, length do array[i] = false end
  return array
end

function Storage:tree_of_depth(depth)
  self.count = self.count + 1
  if depth == 1 then return empty_array(self.random:next() % 10 + 1) end
  local tree = {}
  for i = 1, 4 do tree[i] = self:tree_of_depth(depth - 1) end
  return tree
end

function Storage:arrays()
  self.random = RandomSource.new()
  self.count = 0
  self:tree_of_depth(7)
  return self.count
end

function Storage:run(size)
  local total = 0
  for _ = 1, size do
    local arrays = self:arrays()
    if arrays ~= 5461 then error(arrays .. " arrays for 5461") end
    total = total + arrays
  end
  return total
end

print("storage: " .. Storage.new():run(math.tointeger(arg[1])))
