local function run(n)
  local step = 3
  local block = function(x) return x + step end
  local sum, i = 0, 0
  while i < n do sum = block(sum); i = i + 1 end
  return sum
end
print(run(10000000))
