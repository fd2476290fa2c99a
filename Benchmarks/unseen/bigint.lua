-- Big integers: the digits of pi by Gibbons's spigot, checked with Machin's formula; a factorial;
-- a Fibonacci number by doubling, checked with Cassini's identity; powers modulo the Mersenne prime
-- 2 ^ 521 - 1, checked with Euler's criterion. All is made of the four operations. Lua has no big
-- integers, so the first half of this file is a small module of them. The size is the number of
-- digits of pi.

-- The magnitude stands in the array part, the lowest digit first, in a base that makes printing
-- easy and products of two digits fit. Zero has no digits and is not negative.
local Big = {}
Big.__index = Big

local base = 10000000
local places = 7

local function trimmed(digits)
  while digits[#digits] == 0 do
    digits[#digits] = nil
  end
  if #digits == 0 then
    digits.negative = false
  end
  return setmetatable(digits, Big)
end

local function big(value)
  if getmetatable(value) == Big then
    return value
  end
  local digits = {negative = value < 0}
  local rest = math.abs(value)
  while rest > 0 do
    digits[#digits + 1] = rest % base
    rest = rest // base
  end
  return trimmed(digits)
end

local function compareMagnitudes(a, b)
  if #a ~= #b then
    return #a < #b and -1 or 1
  end
  for i = #a, 1, -1 do
    if a[i] ~= b[i] then
      return a[i] < b[i] and -1 or 1
    end
  end
  return 0
end

local function compare(a, b)
  if a.negative ~= b.negative then
    return a.negative and -1 or 1
  end
  return a.negative and compareMagnitudes(b, a) or compareMagnitudes(a, b)
end

local function addMagnitudes(a, b, negative)
  local sum = {negative = negative}
  local carry = 0
  for i = 1, math.max(#a, #b) do
    local digit = (a[i] or 0) + (b[i] or 0) + carry
    if digit >= base then
      sum[i] = digit - base
      carry = 1
    else
      sum[i] = digit
      carry = 0
    end
  end
  if carry > 0 then
    sum[#sum + 1] = carry
  end
  return trimmed(sum)
end

-- The magnitude of a is not the smaller one.
local function subtractMagnitudes(a, b, negative)
  local difference = {negative = negative}
  local borrow = 0
  for i = 1, #a do
    local digit = a[i] - (b[i] or 0) - borrow
    if digit < 0 then
      difference[i] = digit + base
      borrow = 1
    else
      difference[i] = digit
      borrow = 0
    end
  end
  return trimmed(difference)
end

-- The sum of a and of b with another sign.
local function add(a, b, negative)
  if a.negative == negative then
    return addMagnitudes(a, b, negative)
  elseif compareMagnitudes(a, b) >= 0 then
    return subtractMagnitudes(a, b, a.negative)
  else
    return subtractMagnitudes(b, a, negative)
  end
end

local function multiply(a, b)
  local product = {negative = a.negative ~= b.negative}
  for i = 1, #a + #b do
    product[i] = 0
  end
  for i = 1, #a do
    local factor = a[i]
    local carry = 0
    for j = 1, #b do
      local digit = product[i + j - 1] + factor * b[j] + carry
      carry = digit // base
      product[i + j - 1] = digit - carry * base
    end
    product[i + #b] = carry
  end
  return trimmed(product)
end

-- Magnitudes: the quotient and the remainder for a divisor of one digit.
local function divideByDigit(a, divisor)
  local quotient = {negative = false}
  local rest = 0
  for i = #a, 1, -1 do
    local digit = rest * base + a[i]
    quotient[i] = digit // divisor
    rest = digit % divisor
  end
  return trimmed(quotient), big(rest)
end

-- Magnitudes: division as on paper. Both are multiplied first so that the divisor's highest digit
-- is at least half the base: an estimate of a digit is then at most 2 too large.
local function divideMagnitudes(a, b)
  if #b == 1 then
    return divideByDigit(a, b[1])
  end
  local scale = base // (b[#b] + 1)
  local rest = multiply(a, big(scale))
  local divisor = multiply(b, big(scale))
  local size = #divisor
  local highest, second = divisor[size], divisor[size - 1]
  rest.negative = false
  if #rest == #a then
    rest[#a + 1] = 0
  end
  local quotient = {negative = false}
  for i = #rest - size, 1, -1 do
    local top = rest[i + size] * base + rest[i + size - 1]
    local digit = math.min(top // highest, base - 1)
    while digit * second > (top - digit * highest) * base + rest[i + size - 2] do
      digit = digit - 1
    end
    local carry = 0
    for j = 1, size do
      local difference = rest[i + j - 1] - digit * divisor[j] + carry
      carry = difference // base
      rest[i + j - 1] = difference - carry * base
    end
    local last = rest[i + size] + carry
    if last < 0 then
      digit = digit - 1
      carry = 0
      for j = 1, size do
        local sum = rest[i + j - 1] + divisor[j] + carry
        carry = sum // base
        rest[i + j - 1] = sum - carry * base
      end
      last = last + carry
    end
    rest[i + size] = last
    quotient[i] = digit
  end
  return trimmed(quotient), (divideByDigit(trimmed(rest), scale))
end

-- The quotient is rounded down, and the remainder has the sign of the divisor.
local function divide(a, b)
  if #b == 0 then
    error("division by zero")
  end
  if compareMagnitudes(a, b) < 0 and a.negative == b.negative then
    return big(0), a
  end
  local quotient, rest = divideMagnitudes(a, b)
  if a.negative ~= b.negative then
    if #rest > 0 then
      quotient = addMagnitudes(quotient, big(1), false)
      rest = subtractMagnitudes(b, rest, false)
    end
    quotient.negative = #quotient > 0
  end
  rest.negative = b.negative and #rest > 0
  return quotient, rest
end

function Big.__add(a, b)
  a, b = big(a), big(b)
  return add(a, b, b.negative)
end

function Big.__sub(a, b)
  a, b = big(a), big(b)
  return add(a, b, not b.negative)
end

function Big.__mul(a, b)
  return multiply(big(a), big(b))
end

function Big.__idiv(a, b)
  return (divide(big(a), big(b)))
end

function Big.__mod(a, b)
  local _, rest = divide(big(a), big(b))
  return rest
end

function Big.__pow(a, exponent)
  local result = big(1)
  local square = a
  while exponent > 0 do
    if exponent % 2 == 1 then
      result = result * square
    end
    exponent = exponent // 2
    if exponent > 0 then
      square = square * square
    end
  end
  return result
end

function Big.__eq(a, b)
  return compare(a, b) == 0
end

function Big.__lt(a, b)
  return compare(big(a), big(b)) < 0
end

function Big.__le(a, b)
  return compare(big(a), big(b)) <= 0
end

function Big.__tostring(a)
  if #a == 0 then
    return "0"
  end
  local parts = {a.negative and "-" or "", tostring(a[#a])}
  for i = #a - 1, 1, -1 do
    table.insert(parts, string.format("%0" .. places .. "d", a[i]))
  end
  return table.concat(parts)
end

-- Here the module ends, and the benchmark begins.

-- Linear transformations take in one term after the other, until the next digit is certain.
local function spigot(count)
  local digits = {}
  local numerator, sum, denominator, k = big(1), big(0), big(1), 0
  while #digits < count do
    k = k + 1
    sum = (sum + numerator * 2) * (k * 2 + 1)
    denominator = denominator * (k * 2 + 1)
    numerator = numerator * k
    if not (sum < numerator) then
      local digit = (numerator * 3 + sum) // denominator
      if digit == (numerator * 4 + sum) // denominator then
        table.insert(digits, tostring(digit))
        sum = (sum - digit * denominator) * 10
        numerator = numerator * 10
      end
    end
  end
  return table.concat(digits)
end

local function arcTanOfInverse(x, unit)
  local power = unit // x
  local sum = power
  local n = 1
  while power > 0 do
    power = power // (x * x)
    n = n + 2
    if n % 4 == 1 then
      sum = sum + power // n
    else
      sum = sum - power // n
    end
  end
  return sum
end

local function machin(count)
  local unit = big(10) ^ (count + 10)
  local pi = arcTanOfInverse(5, unit) * 16 - arcTanOfInverse(239, unit) * 4
  return tostring(pi):sub(1, count)
end

local function check(condition, what)
  if not condition then
    error("not so: " .. what)
  end
end

local function digitSum(integer)
  local sum = 0
  for digit in tostring(integer):gmatch("%d") do
    sum = sum + tonumber(digit)
  end
  return sum
end

local function pi(count)
  local digits = spigot(count)
  check(digits == machin(count), "both ways lead to pi")
  return digits:sub(-10)
end

local function factorial(n)
  local product = big(1)
  for factor = 1, n do
    product = product * factor
  end
  local zeros = 0
  local power = 5
  while power <= n do
    zeros = zeros + n // power
    power = power * 5
  end
  check(product % big(10) ^ zeros == big(0) and product % big(10) ^ (zeros + 1) ~= big(0),
    "the factorial has the right count of zeros")
  return digitSum(product)
end

-- The Fibonacci number and the next one.
local function fibonacciPair(n)
  if n == 0 then
    return big(0), big(1)
  end
  local a, b = fibonacciPair(n // 2)
  local c = (b * 2 - a) * a
  local d = a * a + b * b
  if n % 2 == 0 then
    return c, d
  else
    return d, c + d
  end
end

local function fibonacci(n)
  local a, b = fibonacciPair(n)
  check((b - a) * b - a * a == big(n % 2 == 0 and 1 or -1),
    "the Fibonacci numbers are neighbours")
  return digitSum(a)
end

local function raise(number, exponent, modulus)
  local result = big(1)
  local square = big(number)
  while exponent > 0 do
    if exponent % 2 == big(1) then
      result = result * square % modulus
    end
    square = square * square % modulus
    exponent = exponent // 2
  end
  return result
end

local function residues(count)
  local prime = big(2) ^ 521 - 1
  local found = 0
  for i = 1, count do
    local power = raise(i + 1, (prime - 1) // 2, prime)
    check(power == big(1) or power == prime - 1, "the power is 1 or -1")
    if power == big(1) then
      found = found + 1
    end
  end
  return found
end

local function run(n)
  return pi(n) .. " " .. factorial(n) .. " " .. fibonacci(n * 20) .. " " .. residues(n // 100 + 1)
end

print("bigint: " .. run(tonumber(arg[1])))
