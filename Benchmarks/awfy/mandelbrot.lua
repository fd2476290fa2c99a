-- The Mandelbrot set as a picture of one bit a point, eight to a byte, and the exclusive or of its
-- bytes. The size is the number of points on a side.

-- 1 when the point escapes within 50 steps, and 0 when it belongs to the set.
local function bit_at(cr, ci)
  local zi, square_r, square_i = 0.0, 0.0, 0.0
  for _ = 1, 50 do
    local zr = square_r - square_i + cr
    zi = 2.0 * zr * zi + ci
    square_r = zr * zr
    square_i = zi * zi
    if square_r + square_i > 4.0 then return 1 end
  end
  return 0
end

local function checksum(size)
  local sum, byte, bits = 0, 0, 0
  for y = 0, size - 1 do
    local ci = 2.0 * y / size - 1.0
    for x = 0, size - 1 do
      byte = (byte << 1) + bit_at(2.0 * x / size - 1.5, ci)
      bits = bits + 1
      if bits == 8 or x == size - 1 then
        sum = sum ~ (byte << (8 - bits))
        byte, bits = 0, 0
      end
    end
  end
  return sum
end

local known = {[1] = 128, [500] = 191, [750] = 50}
local size = math.tointeger(arg[1])
local sum = checksum(size)
if sum ~= (known[size] or sum) then error("checksum " .. sum) end
print("mandelbrot: " .. sum)
