local Tree = {}; Tree.__index = Tree
function Tree.new() return setmetatable({}, Tree) end
function Tree:set(l, r) self.left = l; self.right = r; return self end
function Tree:count()
  if self.left == nil then return 1 end
  return self.left:count() + self.right:count() + 1
end
function Tree.depth(n)
  if n == 0 then return Tree.new() end
  return Tree.new():set(Tree.depth(n - 1), Tree.depth(n - 1))
end
local function run(n)
  local kept = Tree.depth(16)
  local sum = 0
  for i = 1, n do sum = sum + Tree.depth(15):count() end
  return sum + kept:count()
end
print(run(16))
