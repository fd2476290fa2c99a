-- Eight queens on a chess board so that none attacks another, found by trying column after column.
-- The size says how often ten boards are solved; the rows of the queens are printed.
local Queens = {}
Queens.__index = Queens

local function filled(count, value)
  local array = {}
  for i = 1, count do array[i] = value end
  return array
end

function Queens.new()
  return setmetatable({
    free_rows = filled(8, true),
    free_rising = filled(16, true),
    free_falling = filled(16, true),
    rows = {},
  }, Queens)
end

function Queens:is_free(row, column)
  return self.free_rows[row] and self.free_rising[column + row]
    and self.free_falling[column - row + 8]
end

function Queens:mark(row, column, is_free)
  self.free_rows[row] = is_free
  self.free_rising[column + row] = is_free
  self.free_falling[column - row + 8] = is_free
end

-- Returns whether queens can stand in this column and all after it.
function Queens:place(column)
  for row = 1, 8 do
    if self:is_free(row, column) then
      self.rows[column] = row
      self:mark(row, column, false)
      if column == 8 then return true end
      if self:place(column + 1) then return true end
      self:mark(row, column, true)
    end
  end
  return false
end

local function solve()
  local board = Queens.new()
  if not board:place(1) then error("no solution found") end
  return board.rows
end

local function is_expected(rows)
  for column, row in ipairs({1, 5, 8, 6, 3, 7, 2, 4}) do
    if rows[column] ~= row then return false end
  end
  return true
end

local function run(size)
  local rows
  for _ = 1, size * 10 do
    rows = solve()
    if not is_expected(rows) then error("wrong solution " .. table.concat(rows, " ")) end
  end
  return rows
end

print("queens: " .. table.concat(run(math.tointeger(arg[1])), " "))
