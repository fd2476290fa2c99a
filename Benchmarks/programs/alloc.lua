local Point3 = {}; Point3.__index = Point3
function Point3.new() return setmetatable({}, Point3) end
function Point3:set(x, y, z) self.x = x; self.y = y; self.z = z; return self end
function Point3:getY() return self.y end
local function run(n)
  local sum, i = 0, 0
  while i < n do
    sum = sum + Point3.new():set(i, 1, 2):getY()
    i = i + 1
  end
  return sum
end
print(run(5000000))
