local Fib = {}; Fib.__index = Fib
function Fib:fib(n) if n < 2 then return n end return self:fib(n - 1) + self:fib(n - 2) end
print(setmetatable({}, Fib):fib(32))
