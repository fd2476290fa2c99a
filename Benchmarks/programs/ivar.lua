local Counter = {}; Counter.__index = Counter
function Counter:run(n)
  self.a = 0; self.b = 0
  local i = 0
  while i < n do self.a = self.a + 1; self.b = self.b + 2; i = i + 1 end
  return self.a + self.b
end
print(setmetatable({}, Counter):run(10000000))
