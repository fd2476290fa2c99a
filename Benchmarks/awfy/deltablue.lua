-- DeltaBlue: an incremental solver for constraints of different strengths, after Freeman-Benson and
-- Maloney. The size is the number of constraints in a chain of equalities, whose one end is edited,
-- and of those in a projection, whose source, target, scale and offset are.
local function class(super)
  local self = setmetatable({}, super)
  self.__index = self
  return self
end

local Strength = class()

function Strength.new(value) return setmetatable({value = value}, Strength) end
function Strength:is_stronger(other) return self.value < other.value end
function Strength:is_weaker(other) return self.value > other.value end

function Strength:weakest(other)
  if other:is_weaker(self) then return other end
  return self
end

local REQUIRED = Strength.new(0)
local PREFERRED = Strength.new(1)
local STRONG_DEFAULT = Strength.new(2)
local DEFAULT = Strength.new(3)
local WEAKEST = Strength.new(4)

local Queue = class()

function Queue.new() return setmetatable({first = 1, last = 0}, Queue) end
function Queue:is_empty() return self.first > self.last end

function Queue:push(element)
  self.last = self.last + 1
  self[self.last] = element
end

function Queue:pop()
  local element = self[self.first]
  self[self.first] = nil
  self.first = self.first + 1
  return element
end

local Variable = class()

function Variable.new(value)
  return setmetatable({
    value = value, constraints = {}, determined_by = nil, mark = 0, walk_strength = WEAKEST,
    stay = true
  }, Variable)
end

function Variable:add(constraint) self.constraints[#self.constraints + 1] = constraint end

function Variable:remove(constraint)
  for i, each in ipairs(self.constraints) do
    if each == constraint then
      table.remove(self.constraints, i)
      break
    end
  end
  if self.determined_by == constraint then self.determined_by = nil end
end

-- The constraints that compute something else from the variable.
function Variable:each_consumer(action)
  for _, each in ipairs(self.constraints) do
    if each ~= self.determined_by and each:is_satisfied() then action(each) end
  end
end

function Variable:be_free()
  self.determined_by = nil
  self.walk_strength = WEAKEST
  self.stay = true
end

function Variable:is_known(mark)
  return self.mark == mark or self.stay or self.determined_by == nil
end

-- A subclass says which variables it has, which of them it can compute, and how.
local Constraint = class()

function Constraint:is_input() return false end

function Constraint:add_to(planner)
  self:add_to_graph()
  planner:add(self)
end

function Constraint:remove_from(planner)
  if self:is_satisfied() then planner:remove(self) else self:remove_from_graph() end
end

-- Tries to enforce the constraint; returns the one that it overrides, or nil.
function Constraint:satisfy(mark, planner)
  self:choose_method(mark)
  if not self:is_satisfied() then
    if self.strength == REQUIRED then error("a required constraint cannot be satisfied") end
    return nil
  end
  for _, each in ipairs(self:inputs()) do each.mark = mark end
  local overridden = self:output().determined_by
  if overridden then overridden:be_unsatisfied() end
  self:output().determined_by = self
  if not planner:propagate(self, mark) then error("a cycle") end
  self:output().mark = mark
  return overridden
end

function Constraint:inputs_known(mark)
  for _, each in ipairs(self:inputs()) do
    if not each:is_known(mark) then return false end
  end
  return true
end

local UnaryConstraint = class(Constraint)

function UnaryConstraint:init(variable, strength, planner)
  self.variable = variable
  self.strength = strength
  self.satisfied = false
  self:add_to(planner)
  return self
end

function UnaryConstraint:add_to_graph()
  self.variable:add(self)
  self.satisfied = false
end

function UnaryConstraint:remove_from_graph()
  self.variable:remove(self)
  self.satisfied = false
end

function UnaryConstraint:inputs() return {} end
function UnaryConstraint:output() return self.variable end
function UnaryConstraint:is_satisfied() return self.satisfied end
function UnaryConstraint:be_unsatisfied() self.satisfied = false end

function UnaryConstraint:choose_method(mark)
  local variable = self.variable
  self.satisfied = variable.mark ~= mark and self.strength:is_stronger(variable.walk_strength)
end

function UnaryConstraint:recalculate()
  self.variable.walk_strength = self.strength
  self.variable.stay = not self:is_input()
  if self.variable.stay then self:execute() end
end

function UnaryConstraint:execute() end

local StayConstraint = class(UnaryConstraint)

function StayConstraint.new(...)
  return setmetatable({}, StayConstraint):init(...)
end

local EditConstraint = class(UnaryConstraint)

function EditConstraint.new(...)
  return setmetatable({}, EditConstraint):init(...)
end

function EditConstraint:is_input() return true end

local BinaryConstraint = class(Constraint)

function BinaryConstraint:init(first, second, strength, planner)
  self.first = first
  self.second = second
  self.strength = strength
  self:add_to(planner)
  return self
end

function BinaryConstraint:add_to_graph()
  self.first:add(self)
  self.second:add(self)
  self.direction = nil
end

function BinaryConstraint:remove_from_graph()
  self.first:remove(self)
  self.second:remove(self)
  self.direction = nil
end

function BinaryConstraint:is_satisfied() return self.direction ~= nil end
function BinaryConstraint:be_unsatisfied() self.direction = nil end

function BinaryConstraint:input()
  if self.direction == "forward" then return self.first end
  return self.second
end

function BinaryConstraint:output()
  if self.direction == "forward" then return self.second end
  return self.first
end

function BinaryConstraint:inputs() return {self:input()} end

function BinaryConstraint:choose_method(mark)
  self.direction = nil
  if self.first.mark == mark then
    self:choose("forward", self.second, mark)
  elseif self.second.mark == mark then
    self:choose("backward", self.first, mark)
  elseif self.first.walk_strength:is_weaker(self.second.walk_strength) then
    self:choose("backward", self.first, mark)
  else
    self:choose("forward", self.second, mark)
  end
end

function BinaryConstraint:choose(direction, output, mark)
  if output.mark ~= mark and self.strength:is_stronger(output.walk_strength) then
    self.direction = direction
  end
end

function BinaryConstraint:recalculate()
  local output = self:output()
  output.walk_strength = self.strength:weakest(self:input().walk_strength)
  output.stay = self:is_staying()
  if output.stay then self:execute() end
end

function BinaryConstraint:is_staying() return self:input().stay end

local EqualityConstraint = class(BinaryConstraint)

function EqualityConstraint.new(...)
  return setmetatable({}, EqualityConstraint):init(...)
end

function EqualityConstraint:execute() self:output().value = self:input().value end

-- The second variable is the first one times a scale plus an offset.
local ScaleConstraint = class(BinaryConstraint)

function ScaleConstraint.new(source, target, scale, offset, strength, planner)
  return setmetatable({scale = scale, offset = offset}, ScaleConstraint)
    :init(source, target, strength, planner)
end

function ScaleConstraint:add_to_graph()
  BinaryConstraint.add_to_graph(self)
  self.scale:add(self)
  self.offset:add(self)
end

function ScaleConstraint:remove_from_graph()
  BinaryConstraint.remove_from_graph(self)
  self.scale:remove(self)
  self.offset:remove(self)
end

function ScaleConstraint:inputs() return {self:input(), self.scale, self.offset} end

function ScaleConstraint:is_staying()
  return self:input().stay and self.scale.stay and self.offset.stay
end

function ScaleConstraint:execute()
  if self.direction == "forward" then
    self.second.value = self.first.value * self.scale.value + self.offset.value
  else
    self.first.value = (self.second.value - self.offset.value) // self.scale.value
  end
end

local Plan = class()

function Plan.new() return setmetatable({steps = {}}, Plan) end
function Plan:add(constraint) self.steps[#self.steps + 1] = constraint end

function Plan:execute()
  for _, each in ipairs(self.steps) do each:execute() end
end

local Planner = class()

function Planner.new() return setmetatable({mark = 1}, Planner) end

function Planner:new_mark()
  self.mark = self.mark + 1
  return self.mark
end

function Planner:add(constraint)
  local mark = self:new_mark()
  local overridden = constraint:satisfy(mark, self)
  while overridden do overridden = overridden:satisfy(mark, self) end
end

function Planner:remove(constraint)
  local output = constraint:output()
  constraint:be_unsatisfied()
  constraint:remove_from_graph()
  for _, each in ipairs(self:free(output)) do self:add(each) end
end

-- The steps that bring everything in order after a change of what some constraints put in.
function Planner:plan_for(constraints)
  local mark = self:new_mark()
  local plan = Plan.new()
  local todo = Queue.new()
  for _, each in ipairs(constraints) do
    if each:is_input() and each:is_satisfied() then todo:push(each) end
  end
  while not todo:is_empty() do
    local constraint = todo:pop()
    local output = constraint:output()
    if output.mark ~= mark and constraint:inputs_known(mark) then
      plan:add(constraint)
      output.mark = mark
      output:each_consumer(function(each) todo:push(each) end)
    end
  end
  return plan
end

-- Recalculates what lies downstream of a constraint; returns false when that meets a cycle.
function Planner:propagate(constraint, mark)
  local todo = Queue.new()
  todo:push(constraint)
  while not todo:is_empty() do
    local each = todo:pop()
    if each:output().mark == mark then
      self:remove(constraint)
      return false
    end
    each:recalculate()
    each:output():each_consumer(function(consumer) todo:push(consumer) end)
  end
  return true
end

-- Recalculates what lies downstream of a variable that nothing determines any longer; returns the
-- constraints that may now be satisfied, the strongest first.
function Planner:free(output)
  output:be_free()
  local unsatisfied = {}
  local todo = Queue.new()
  todo:push(output)
  while not todo:is_empty() do
    local variable = todo:pop()
    for _, each in ipairs(variable.constraints) do
      if not each:is_satisfied() then unsatisfied[#unsatisfied + 1] = each end
    end
    variable:each_consumer(function(each)
      each:recalculate()
      todo:push(each:output())
    end)
  end
  table.sort(unsatisfied, function(a, b) return a.strength:is_stronger(b.strength) end)
  return unsatisfied
end

function Planner:change(variable, value)
  local edit = EditConstraint.new(variable, PREFERRED, self)
  local plan = self:plan_for({edit})
  for _ = 1, 10 do
    variable.value = value
    plan:execute()
  end
  edit:remove_from(self)
end

-- Equalities in a row: the value of the first variable arrives at the last.
local function chain(size)
  local planner = Planner.new()
  local variables = {}
  for i = 1, size + 1 do variables[i] = Variable.new(0) end
  for i = 1, size do
    EqualityConstraint.new(variables[i], variables[i + 1], REQUIRED, planner)
  end
  local first, last = variables[1], variables[#variables]
  StayConstraint.new(last, STRONG_DEFAULT, planner)
  local edit = EditConstraint.new(first, PREFERRED, planner)
  local plan = planner:plan_for({edit})
  for i = 1, 100 do
    first.value = i
    plan:execute()
    if last.value ~= i then error("deltablue: a wrong chain") end
  end
  edit:remove_from(planner)
  return last.value
end

local function check(targets, factor, offset)
  for i = 1, #targets - 1 do
    if targets[i].value ~= i * factor + offset then error("deltablue: a wrong projection") end
  end
end

-- Two rows of variables, each pair of them joined by the same scale and offset.
local function projection(size)
  local planner = Planner.new()
  local scale, offset = Variable.new(10), Variable.new(1000)
  local targets = {}
  local source, target
  for i = 1, size do
    source, target = Variable.new(i), Variable.new(i)
    targets[i] = target
    StayConstraint.new(source, DEFAULT, planner)
    ScaleConstraint.new(source, target, scale, offset, REQUIRED, planner)
  end
  planner:change(source, 17)
  if target.value ~= 1170 then error("deltablue: a wrong target") end
  planner:change(target, 1050)
  if source.value ~= 5 then error("deltablue: a wrong source") end
  planner:change(scale, 5)
  check(targets, 5, 1000)
  planner:change(offset, 2000)
  check(targets, 5, 2000)
  local sum = 0
  for _, each in ipairs(targets) do sum = sum + each.value end
  return sum
end

local size = tonumber(arg[1])
print("deltablue: " .. chain(size) .. " " .. projection(size))
