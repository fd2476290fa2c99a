local function run(n)
  local x, i = 0.0, 0
  while i < n do x = x * 0.999 + 1.5; i = i + 1 end
  return x
end
print(string.format("%.6f", run(10000000)))
