-- Balls in a box: 100 balls fly for 50 steps and the collisions with the walls are counted.
-- The size says how many boxes are simulated; a box always counts 1331 collisions.
local RandomSource = {}
RandomSource.__index = RandomSource

function RandomSource.new() return setmetatable({seed = 74755}, RandomSource) end

function RandomSource:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

local Ball = {}
Ball.__index = Ball

function Ball.new(random)
  return setmetatable({
    x = random:next() % 500,
    y = random:next() % 500,
    x_velocity = random:next() % 300 - 150,
    y_velocity = random:next() % 300 - 150,
  }, Ball)
end

-- Moves one step and returns whether a wall was hit.
function Ball:bounce()
  local hit = false
  self.x = self.x + self.x_velocity
  self.y = self.y + self.y_velocity
  if self.x > 500 then
    self.x = 500
    self.x_velocity = -math.abs(self.x_velocity)
    hit = true
  end
  if self.x < 0 then
    self.x = 0
    self.x_velocity = math.abs(self.x_velocity)
    hit = true
  end
  if self.y > 500 then
    self.y = 500
    self.y_velocity = -math.abs(self.y_velocity)
    hit = true
  end
  if self.y < 0 then
    self.y = 0
    self.y_velocity = math.abs(self.y_velocity)
    hit = true
  end
  return hit
end

local function collisions()
  local random = RandomSource.new()
  local balls = {}
  for i = 1, 100 do balls[i] = Ball.new(random) end
  local count = 0
  for _ = 1, 50 do
    for _, ball in ipairs(balls) do
      if ball:bounce() then count = count + 1 end
    end
  end
  return count
end

local function run(size)
  local total = 0
  for _ = 1, size do
    local count = collisions()
    if count ~= 1331 then error(count .. " collisions for 1331") end
    total = total + count
  end
  return total
end

print("bounce: " .. run(math.tointeger(arg[1])))
