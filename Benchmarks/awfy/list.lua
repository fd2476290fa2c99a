-- Takeuchi's function on linked lists of 15, 10 and 6 elements: the length of a list is its number.
-- The size says how often it is computed; the list it answers always has 10 elements.
local Element = {}
Element.__index = Element

function Element.of_length(length)
  if length == 0 then return nil end
  return setmetatable({next = Element.of_length(length - 1)}, Element)
end

function Element:length()
  if self.next == nil then return 1 end
  return 1 + self.next:length()
end

local function is_shorter(x, y)
  while y do
    if not x then return true end
    x, y = x.next, y.next
  end
  return false
end

local function takeuchi(x, y, z)
  if not is_shorter(y, x) then return z end
  return takeuchi(takeuchi(x.next, y, z), takeuchi(y.next, z, x), takeuchi(z.next, x, y))
end

local function run(size)
  local total = 0
  for _ = 1, size do
    local result = takeuchi(Element.of_length(15), Element.of_length(10), Element.of_length(6))
    if result:length() ~= 10 then error(result:length() .. " elements for 10") end
    total = total + result:length()
  end
  return total
end

print("list: " .. run(math.tointeger(arg[1])))
