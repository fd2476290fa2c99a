-- Eratosthenes' sieve: the primes up to 5000 by crossing out the multiples of each.
-- The size says how often; there are 669 primes.
local function primes_up_to(limit)
  local is_prime = {}
  for i = 1, limit do is_prime[i] = true end
  local count = 0
  for number = 2, limit do
    if is_prime[number] then
      count = count + 1
      for multiple = number + number, limit, number do is_prime[multiple] = false end
    end
  end
  return count
end

local function run(size)
  local total = 0
  for _ = 1, size do
    local count = primes_up_to(5000)
    if count ~= 669 then error(count .. " primes for 669") end
    total = total + count
  end
  return total
end

print("sieve: " .. run(math.tointeger(arg[1])))
