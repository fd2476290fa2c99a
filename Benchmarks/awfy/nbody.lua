-- The sun and its four largest planets under their gravity. The size is the number of steps of a
-- hundredth of a year; the energy of the system afterwards is printed.
local DAYS_PER_YEAR = 365.24
local SOLAR_MASS = 4.0 * math.pi * math.pi

local Body = {}
Body.__index = Body

-- Velocities are given for days, the mass for a sun of mass 1.
function Body.new(position, velocity, mass)
  return setmetatable({
    x = position[1], y = position[2], z = position[3],
    vx = velocity[1] * DAYS_PER_YEAR,
    vy = velocity[2] * DAYS_PER_YEAR,
    vz = velocity[3] * DAYS_PER_YEAR,
    mass = mass * SOLAR_MASS,
  }, Body)
end

function Body:attract(other, time)
  local dx = self.x - other.x
  local dy = self.y - other.y
  local dz = self.z - other.z
  local squared = dx * dx + dy * dy + dz * dz
  local magnitude = time / (squared * math.sqrt(squared))
  self.vx = self.vx - dx * other.mass * magnitude
  self.vy = self.vy - dy * other.mass * magnitude
  self.vz = self.vz - dz * other.mass * magnitude
  other.vx = other.vx + dx * self.mass * magnitude
  other.vy = other.vy + dy * self.mass * magnitude
  other.vz = other.vz + dz * self.mass * magnitude
end

function Body:move(time)
  self.x = self.x + time * self.vx
  self.y = self.y + time * self.vy
  self.z = self.z + time * self.vz
end

function Body:distance_to(other)
  local dx = self.x - other.x
  local dy = self.y - other.y
  local dz = self.z - other.z
  return math.sqrt(dx * dx + dy * dy + dz * dz)
end

function Body:kinetic_energy()
  return 0.5 * self.mass * (self.vx * self.vx + self.vy * self.vy + self.vz * self.vz)
end

local SolarSystem = {}
SolarSystem.__index = SolarSystem

function SolarSystem.new()
  local system = setmetatable({
    bodies = {
      Body.new({0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 1.0),
      Body.new(  -- Jupiter
        {4.84143144246472090, -1.16032004402742839, -0.103622044471123109},
        {0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023},
        0.000954791938424326609),
      Body.new(  -- Saturn
        {8.34336671824457987, 4.12479856412430479, -0.403523417114321381},
        {-0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929},
        0.000285885980666130812),
      Body.new(  -- Uranus
        {12.8943695621391310, -15.1111514016986312, -0.223307578892655734},
        {0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556},
        0.0000436624404335156298),
      Body.new(  -- Neptune
        {15.3796971148509165, -25.9193146099879641, 0.179258772950371181},
        {0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870},
        0.0000515138902046611451),
    },
  }, SolarSystem)
  system:stop_drifting()
  return system
end

-- Gives the sun the velocity that makes the momentum of the whole system 0.
function SolarSystem:stop_drifting()
  local px, py, pz = 0.0, 0.0, 0.0
  for _, body in ipairs(self.bodies) do
    px = px + body.vx * body.mass
    py = py + body.vy * body.mass
    pz = pz + body.vz * body.mass
  end
  local sun = self.bodies[1]
  sun.vx = -px / SOLAR_MASS
  sun.vy = -py / SOLAR_MASS
  sun.vz = -pz / SOLAR_MASS
end

function SolarSystem:advance(time)
  local bodies = self.bodies
  for i = 1, #bodies do
    for j = i + 1, #bodies do bodies[i]:attract(bodies[j], time) end
  end
  for _, body in ipairs(bodies) do body:move(time) end
end

function SolarSystem:energy()
  local bodies, energy = self.bodies, 0.0
  for _, body in ipairs(bodies) do energy = energy + body:kinetic_energy() end
  for i = 1, #bodies do
    for j = i + 1, #bodies do
      local one, other = bodies[i], bodies[j]
      energy = energy - one.mass * other.mass / one:distance_to(other)
    end
  end
  return energy
end

local known = {[0] = "-0.169075164", [1000] = "-0.169087605", [250000] = "-0.169085989"}
local size = math.tointeger(arg[1])
local system = SolarSystem.new()
for _ = 1, size do system:advance(0.01) end
local energy = string.format("%.9f", system:energy())
if energy ~= (known[size] or energy) then error("energy " .. energy) end
print("nbody: " .. energy)
