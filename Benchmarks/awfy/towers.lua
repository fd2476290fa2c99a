-- The towers of Hanoi: 13 disks move from the first pile to the second, a larger one never onto a
-- smaller one. The size says how often; each time takes 8191 moves.
local Disk = {}
Disk.__index = Disk

function Disk.new(size) return setmetatable({size = size}, Disk) end

local Towers = {}
Towers.__index = Towers

function Towers.new() return setmetatable({}, Towers) end

function Towers:push(disk, pile)
  local top = self.piles[pile]
  if top and disk.size >= top.size then error("a disk cannot lie on a smaller one") end
  disk.below = top
  self.piles[pile] = disk
end

function Towers:pop(pile)
  local top = self.piles[pile]
  if not top then error("the pile is empty") end
  self.piles[pile] = top.below
  top.below = nil
  return top
end

function Towers:move_top(source, target)
  self:push(self:pop(source), target)
  self.moves = self.moves + 1
end

function Towers:build(pile, count)
  for size = count, 1, -1 do self:push(Disk.new(size), pile) end
end

function Towers:move(count, source, target)
  if count == 1 then
    self:move_top(source, target)
    return
  end
  local other = 6 - source - target
  self:move(count - 1, source, other)
  self:move_top(source, target)
  self:move(count - 1, other, target)
end

function Towers:count_moves()
  self.piles = {}
  self.moves = 0
  self:build(1, 13)
  self:move(13, 1, 2)
  return self.moves
end

function Towers:run(size)
  local total = 0
  for _ = 1, size do
    local count = self:count_moves()
    if count ~= 8191 then error(count .. " moves for 8191") end
    total = total + count
  end
  return total
end

print("towers: " .. Towers.new():run(math.tointeger(arg[1])))
