-- Dense linear algebra on floats: the product of two square matrices, an LU factorisation with
-- partial pivoting, the determinant, and the solution of a system of equations. A matrix is a
-- table of rows. The size is the number of rows.
local Generator = {}
Generator.__index = Generator

function Generator.new()
  return setmetatable({seed = 74755}, Generator)
end

function Generator:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

function Generator:nextFloat()
  return self:next() / 65536.0 - 0.5
end

local LU = {}
LU.__index = LU

local Matrix = {}
Matrix.__index = Matrix

function Matrix.new(rows)
  return setmetatable({rows = rows}, Matrix)
end

function Matrix.random(n, generator)
  local rows = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do
      row[j] = generator:nextFloat()
    end
    rows[i] = row
  end
  return Matrix.new(rows)
end

local function dot(left, right)
  local sum = 0.0
  for k = 1, #left do
    sum = sum + left[k] * right[k]
  end
  return sum
end

function Matrix:transposed()
  local columns = {}
  for j = 1, #self.rows do
    local column = {}
    for i, row in ipairs(self.rows) do
      column[i] = row[j]
    end
    columns[j] = column
  end
  return Matrix.new(columns)
end

function Matrix:times(other)
  local columns = other:transposed().rows
  local rows = {}
  for i, row in ipairs(self.rows) do
    local result = {}
    for j, column in ipairs(columns) do
      result[j] = dot(row, column)
    end
    rows[i] = result
  end
  return Matrix.new(rows)
end

function Matrix:timesVector(vector)
  local result = {}
  for i, row in ipairs(self.rows) do
    result[i] = dot(row, vector)
  end
  return result
end

function Matrix:trace()
  local sum = 0.0
  for i, row in ipairs(self.rows) do
    sum = sum + row[i]
  end
  return sum
end

function Matrix:factorized()
  return LU.new(self)
end

-- The factors stand in one table of rows: the upper one on the diagonal and above, the lower one,
-- whose diagonal is all ones, below. The rows are in the order of the pivots.
function LU.new(matrix)
  local self = setmetatable({rows = {}, order = {}, sign = 1}, LU)
  for i, row in ipairs(matrix.rows) do
    self.rows[i] = table.move(row, 1, #row, 1, {})
    self.order[i] = i
  end
  for k = 1, #self.rows do
    self:pivot(k)
    self:eliminate(k)
  end
  return self
end

function LU:pivot(k)
  local rows, order = self.rows, self.order
  local best = k
  for i = k + 1, #rows do
    if math.abs(rows[i][k]) > math.abs(rows[best][k]) then
      best = i
    end
  end
  if rows[best][k] == 0.0 then
    error("the matrix is singular")
  end
  if best ~= k then
    rows[k], rows[best] = rows[best], rows[k]
    order[k], order[best] = order[best], order[k]
    self.sign = -self.sign
  end
end

function LU:eliminate(k)
  local rows = self.rows
  local pivotRow = rows[k]
  for i = k + 1, #rows do
    local row = rows[i]
    local factor = row[k] / pivotRow[k]
    row[k] = factor
    for j = k + 1, #row do
      row[j] = row[j] - factor * pivotRow[j]
    end
  end
end

function LU:determinant()
  local product = self.sign * 1.0
  for i, row in ipairs(self.rows) do
    product = product * row[i]
  end
  return product
end

function LU:solve(vector)
  local rows = self.rows
  local n = #rows
  local x = {}
  for i = 1, n do
    x[i] = vector[self.order[i]]
  end
  for i = 1, n do
    local sum = x[i]
    for j = 1, i - 1 do
      sum = sum - rows[i][j] * x[j]
    end
    x[i] = sum
  end
  for i = n, 1, -1 do
    local sum = x[i]
    for j = i + 1, n do
      sum = sum - rows[i][j] * x[j]
    end
    x[i] = sum / rows[i][i]
  end
  return x
end

local function check(actual, expected)
  for i = 1, #expected do
    if math.abs(actual[i] - expected[i]) > 0.000001 then
      error("wrong result: " .. actual[i] .. " instead of " .. expected[i])
    end
  end
end

local function scaled(x)
  return math.floor(x * 1000000.0 + 0.5)
end

local function run(n)
  local generator = Generator.new()
  local a = Matrix.random(n, generator)
  local b = Matrix.random(n, generator)
  local product = a:times(b)
  local ones = {}
  for i = 1, n do
    ones[i] = 1.0
  end
  check(product:timesVector(ones), a:timesVector(b:timesVector(ones)))
  local lu = a:factorized()
  local solution = lu:solve(a:timesVector(ones))
  check(solution, ones)
  local digits = math.log(math.abs(lu:determinant()), 10)
  return scaled(product:trace()) .. " " .. scaled(digits)
end

print("matrix: " .. run(tonumber(arg[1])))
