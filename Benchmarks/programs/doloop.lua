local Times = {}; Times.__index = Times
function Times:times(n, block)
  local i = 0
  while i < n do block(i); i = i + 1 end
end
function Times:run(n)
  local sum = 0
  self:times(n, function(i) sum = sum + i end)
  return sum
end
print(setmetatable({}, Times):run(10000000))
