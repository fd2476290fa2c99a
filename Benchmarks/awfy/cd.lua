-- CD: the detection of collisions between aircraft on a radar. Each of 200 frames draws the motions
-- of the aircraft on a map of squares, which a red-black tree keeps, and compares those in the same
-- square. The size is the number of aircraft, which is even.
local CallSign = {}
CallSign.__index = CallSign

function CallSign.new(number) return setmetatable({number = number}, CallSign) end
function CallSign:compare_to(other) return self.number - other.number end

local Vector2D = {}
Vector2D.__index = Vector2D

function Vector2D.new(x, y) return setmetatable({x = x, y = y}, Vector2D) end
function Vector2D.__add(a, b) return Vector2D.new(a.x + b.x, a.y + b.y) end
function Vector2D.__sub(a, b) return Vector2D.new(a.x - b.x, a.y - b.y) end

function Vector2D:compare_to(other)
  if self.x < other.x then return -1 end
  if self.x > other.x then return 1 end
  if self.y < other.y then return -1 end
  return self.y > other.y and 1 or 0
end

local Vector3D = {}
Vector3D.__index = Vector3D

function Vector3D.new(x, y, z) return setmetatable({x = x, y = y, z = z}, Vector3D) end
function Vector3D.__add(a, b) return Vector3D.new(a.x + b.x, a.y + b.y, a.z + b.z) end
function Vector3D.__sub(a, b) return Vector3D.new(a.x - b.x, a.y - b.y, a.z - b.z) end
function Vector3D.__mul(a, factor) return Vector3D.new(a.x * factor, a.y * factor, a.z * factor) end
function Vector3D:dot(other) return self.x * other.x + self.y * other.y + self.z * other.z end
function Vector3D:squared_magnitude() return self:dot(self) end
function Vector3D:magnitude() return math.sqrt(self:squared_magnitude()) end

local TreeNode = {}
TreeNode.__index = TreeNode

function TreeNode.new(key, value, parent)
  return setmetatable({
    key = key, value = value, left = nil, right = nil, parent = parent, is_red = true
  }, TreeNode)
end

function TreeNode:leftmost()
  local node = self
  while node.left do node = node.left end
  return node
end

function TreeNode:successor()
  if self.right then return self.right:leftmost() end
  local node, above = self, self.parent
  while above and node == above.right do
    node = above
    above = above.parent
  end
  return above
end

local function is_red(node) return node ~= nil and node.is_red end

-- A dictionary ordered by what compare_to says of its keys.
local RedBlackTree = {}
RedBlackTree.__index = RedBlackTree

function RedBlackTree.new() return setmetatable({root = nil}, RedBlackTree) end

function RedBlackTree:each(action)
  if self.root == nil then return end
  local node = self.root:leftmost()
  while node do
    action(node.key, node.value)
    node = node:successor()
  end
end

function RedBlackTree:node_at(key)
  local node = self.root
  while node do
    local order = key:compare_to(node.key)
    if order == 0 then return node end
    if order < 0 then node = node.left else node = node.right end
  end
  return nil
end

-- What is at a key, or nil.
function RedBlackTree:at(key)
  local node = self:node_at(key)
  return node and node.value
end

-- Stores a value at a key; returns the one that was there, or nil.
function RedBlackTree:exchange(key, value)
  local parent, order
  local node = self.root
  while node do
    order = key:compare_to(node.key)
    if order == 0 then
      local old = node.value
      node.value = value
      return old
    end
    parent = node
    if order < 0 then node = node.left else node = node.right end
  end
  node = TreeNode.new(key, value, parent)
  if parent == nil then
    self.root = node
  elseif order < 0 then
    parent.left = node
  else
    parent.right = node
  end
  self:balance_after_adding(node)
  return nil
end

function RedBlackTree:remove(key)
  local node = self:node_at(key)
  if node == nil then return end
  local cut = node
  if node.left and node.right then cut = node.right:leftmost() end
  local child = cut.left or cut.right
  self:replace(cut, child)
  if cut ~= node then
    node.key = cut.key
    node.value = cut.value
  end
  if not cut.is_red then self:balance_after_removing(child, cut.parent) end
end

function RedBlackTree:replace(node, other)
  local parent = node.parent
  if other then other.parent = parent end
  if parent == nil then
    self.root = other
  elseif node == parent.left then
    parent.left = other
  else
    parent.right = other
  end
end

function RedBlackTree:rotate_left(node)
  local child = node.right
  node.right = child.left
  if child.left then child.left.parent = node end
  self:replace(node, child)
  child.left = node
  node.parent = child
end

function RedBlackTree:rotate_right(node)
  local child = node.left
  node.left = child.right
  if child.right then child.right.parent = node end
  self:replace(node, child)
  child.right = node
  node.parent = child
end

function RedBlackTree:balance_after_adding(node)
  while node ~= self.root and node.parent.is_red do
    local parent = node.parent
    local grandparent = parent.parent
    local is_left = parent == grandparent.left
    local uncle
    if is_left then uncle = grandparent.right else uncle = grandparent.left end
    if is_red(uncle) then
      parent.is_red = false
      uncle.is_red = false
      grandparent.is_red = true
      node = grandparent
    elseif is_left then
      if node == parent.right then
        node = parent
        self:rotate_left(node)
      end
      node.parent.is_red = false
      grandparent.is_red = true
      self:rotate_right(grandparent)
    else
      if node == parent.left then
        node = parent
        self:rotate_right(node)
      end
      node.parent.is_red = false
      grandparent.is_red = true
      self:rotate_left(grandparent)
    end
  end
  self.root.is_red = false
end

-- A node, or the nil below a parent, lacks a black node above it.
function RedBlackTree:balance_after_removing(node, parent)
  while node ~= self.root and not is_red(node) do
    local sibling
    if node == parent.left then
      sibling = parent.right
      if sibling.is_red then
        sibling.is_red = false
        parent.is_red = true
        self:rotate_left(parent)
        sibling = parent.right
      end
      if is_red(sibling.left) or is_red(sibling.right) then
        if not is_red(sibling.right) then
          sibling.left.is_red = false
          sibling.is_red = true
          self:rotate_right(sibling)
          sibling = parent.right
        end
        sibling.is_red = parent.is_red
        parent.is_red = false
        sibling.right.is_red = false
        self:rotate_left(parent)
        node = self.root
      else
        sibling.is_red = true
        node = parent
        parent = node.parent
      end
    else
      sibling = parent.left
      if sibling.is_red then
        sibling.is_red = false
        parent.is_red = true
        self:rotate_right(parent)
        sibling = parent.left
      end
      if is_red(sibling.left) or is_red(sibling.right) then
        if not is_red(sibling.left) then
          sibling.right.is_red = false
          sibling.is_red = true
          self:rotate_left(sibling)
          sibling = parent.left
        end
        sibling.is_red = parent.is_red
        parent.is_red = false
        sibling.left.is_red = false
        self:rotate_right(parent)
        node = self.root
      else
        sibling.is_red = true
        node = parent
        parent = node.parent
      end
    end
  end
  if node then node.is_red = false end
end

local MAX_X, MAX_Y, MAX_Z = 1000.0, 1000.0, 10.0
local RADIUS = 1.0
local SQUARE_SIZE = 2.0
local ACROSS = Vector2D.new(SQUARE_SIZE, 0.0)
local ALONG = Vector2D.new(0.0, SQUARE_SIZE)

local Aircraft = {}
Aircraft.__index = Aircraft

function Aircraft.new(call_sign, position)
  return setmetatable({call_sign = call_sign, position = position}, Aircraft)
end

local Simulator = {}
Simulator.__index = Simulator

function Simulator.new(count)
  local signs = {}
  for i = 1, count do signs[i] = CallSign.new(i) end
  return setmetatable({signs = signs}, Simulator)
end

-- Pairs of aircraft fly side by side, one along a cosine and the other along a sine.
function Simulator:frame_at(time)
  local frame = {}
  for i = 1, #self.signs, 2 do
    frame[#frame + 1] = Aircraft.new(
      self.signs[i], Vector3D.new(time, math.cos(time) * 2 + (i - 1) * 3, 10.0))
    frame[#frame + 1] = Aircraft.new(
      self.signs[i + 1], Vector3D.new(time, math.sin(time) * 2 + (i - 1) * 3, 10.0))
  end
  return frame
end

local Collision = {}
Collision.__index = Collision

function Collision.new(first, second, position)
  return setmetatable({first = first, second = second, position = position}, Collision)
end

-- Whether a span of time has a part in the frame, which lasts from 0 to 1.
local function meets_frame(from, to)
  return from <= to and (
    (from <= 1.0 and to >= 1.0) or (from <= 0.0 and to >= 0.0) or (from >= 0.0 and to <= 1.0))
end

local function is_inside(point)
  return point.x >= 0.0 and point.x <= MAX_X and point.y >= 0.0 and point.y <= MAX_Y
    and point.z >= 0.0 and point.z <= MAX_Z
end

local Motion = {}
Motion.__index = Motion

function Motion.new(call_sign, from, to)
  return setmetatable({call_sign = call_sign, from = from, to = to}, Motion)
end

function Motion:delta() return self.to - self.from end

-- Where two aircraft first come too near to each other in the frame, or nil.
function Motion:collision_with(other)
  local delta, other_delta = self:delta(), other:delta()
  local a = (other_delta - delta):squared_magnitude()
  if a == 0.0 then
    -- They keep their distance.
    if (other.from - self.from):magnitude() <= RADIUS then
      return (self.from + other.from) * 0.5
    end
    return nil
  end
  local b = (self.from - other.from):dot(delta - other_delta) * 2.0
  local c = (other.from - self.from):squared_magnitude() - RADIUS * RADIUS
  local discriminant = b * b - a * c * 4.0
  if discriminant < 0.0 then return nil end
  local from = (0.0 - b - math.sqrt(discriminant)) / (a * 2.0)
  local to = (math.sqrt(discriminant) - b) / (a * 2.0)
  if not meets_frame(from, to) then return nil end
  local time = math.max(from, 0.0)
  local point = (self.from + delta * time + (other.from + other_delta * time)) * 0.5
  if is_inside(point) then return point end
  return nil
end

-- Whether the motion comes near a square of the map.
function Motion:touches(square)
  if square.x > MAX_X or square.x < 0.0 or square.y > MAX_Y or square.y < 0.0 then
    return false
  end
  local margin = RADIUS / 2.0
  local from = self.from
  local xv = self.to.x - from.x
  local yv = self.to.y - from.y
  -- When the motion enters and leaves the columns and rows of the square.
  local low_x, high_x, low_y, high_y
  if xv == 0.0 then
    if from.x < square.x - margin or from.x > square.x + SQUARE_SIZE + margin then
      return false
    end
  else
    low_x = (square.x - margin - from.x) / xv
    high_x = (square.x + SQUARE_SIZE + margin - from.x) / xv
    if xv < 0.0 then low_x, high_x = high_x, low_x end
    if not meets_frame(low_x, high_x) then return false end
  end
  if yv == 0.0 then
    if from.y < square.y - margin or from.y > square.y + SQUARE_SIZE + margin then
      return false
    end
  else
    low_y = (square.y - margin - from.y) / yv
    high_y = (square.y + SQUARE_SIZE + margin - from.y) / yv
    if yv < 0.0 then low_y, high_y = high_y, low_y end
    if not meets_frame(low_y, high_y) then return false end
  end
  return xv == 0.0 or yv == 0.0 or (low_x <= high_y and low_y <= high_x)
end

local function truncate(number)
  return number < 0.0 and math.ceil(number) or math.floor(number)
end

local function square_of(position)
  local x = truncate(position.x / SQUARE_SIZE) * SQUARE_SIZE
  local y = truncate(position.y / SQUARE_SIZE) * SQUARE_SIZE
  if position.x < 0.0 then x = x - SQUARE_SIZE end
  if position.y < 0.0 then y = y - SQUARE_SIZE end
  return Vector2D.new(x, y)
end

local CollisionDetector = {}
CollisionDetector.__index = CollisionDetector

function CollisionDetector.new()
  return setmetatable({positions = RedBlackTree.new()}, CollisionDetector)
end

function CollisionDetector:collisions_in(frame)
  local collisions = {}
  for _, crowd in ipairs(self:crowds_of(self:motions_in(frame))) do
    for i, motion in ipairs(crowd) do
      for j = i + 1, #crowd do
        local other = crowd[j]
        local point = motion:collision_with(other)
        if point then
          collisions[#collisions + 1] = Collision.new(motion.call_sign, other.call_sign, point)
        end
      end
    end
  end
  return collisions
end

-- The motions since the last frame; aircraft that are no longer seen are forgotten.
function CollisionDetector:motions_in(frame)
  local motions = {}
  local seen = RedBlackTree.new()
  for _, each in ipairs(frame) do
    local old = self.positions:exchange(each.call_sign, each.position)
    seen:exchange(each.call_sign, true)
    motions[#motions + 1] = Motion.new(each.call_sign, old or each.position, each.position)
  end
  local gone = {}
  self.positions:each(function(sign)
    if not seen:at(sign) then gone[#gone + 1] = sign end
  end)
  for _, each in ipairs(gone) do self.positions:remove(each) end
  return motions
end

-- Lists of motions that touch the same square.
function CollisionDetector:crowds_of(motions)
  local map = RedBlackTree.new()
  for _, each in ipairs(motions) do
    self:draw(each, square_of(each.from), map, RedBlackTree.new())
  end
  local crowds = {}
  map:each(function(_, crowd)
    if #crowd > 1 then crowds[#crowds + 1] = crowd end
  end)
  return crowds
end

-- Adds a motion to a square of the map, and to those around it, as far as it touches them.
function CollisionDetector:draw(motion, square, map, seen)
  if not motion:touches(square) then return end
  if seen:exchange(square, true) then return end
  local crowd = map:at(square)
  if crowd == nil then
    crowd = {}
    map:exchange(square, crowd)
  end
  crowd[#crowd + 1] = motion
  self:draw(motion, square - ACROSS, map, seen)
  self:draw(motion, square + ACROSS, map, seen)
  self:draw(motion, square - ALONG, map, seen)
  self:draw(motion, square + ALONG, map, seen)
  self:draw(motion, square - ACROSS - ALONG, map, seen)
  self:draw(motion, square - ACROSS + ALONG, map, seen)
  self:draw(motion, square + ACROSS - ALONG, map, seen)
  self:draw(motion, square + ACROSS + ALONG, map, seen)
end

local size = tonumber(arg[1])
local simulator = Simulator.new(size)
local detector = CollisionDetector.new()
local count = 0
for i = 0, 199 do
  count = count + #detector:collisions_in(simulator:frame_at(i / 10.0))
end
print("cd: " .. count)
local known = {
  [2] = 42, [10] = 390, [100] = 4305, [200] = 8655, [250] = 10830, [500] = 14484, [1000] = 14484
}
if (known[size] or count) ~= count then error("cd: a wrong number of collisions") end
