-- Discrete-event simulation of a queueing system: customers arrive at random times, visit three
-- stations with several servers and a queue each, some of them once more, and leave. What is to
-- happen is kept as functions in a binary heap ordered by time. Times are integers. The size is the
-- number of customers.
local Generator = {}
Generator.__index = Generator

function Generator.new()
  return setmetatable({seed = 74755}, Generator)
end

function Generator:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

function Generator:upTo(limit)
  return self:next() * limit // 65536 + 1
end

local Event = {}
Event.__index = Event

function Event.new(time, number, action)
  return setmetatable({time = time, number = number, action = action}, Event)
end

-- Events at the same time happen in the order in which they were scheduled.
function Event.__lt(a, b)
  return a.time < b.time or a.time == b.time and a.number < b.number
end

function Event:happen()
  self.action()
end

local Heap = {}
Heap.__index = Heap

function Heap.new()
  return setmetatable({elements = {}}, Heap)
end

function Heap:isEmpty()
  return #self.elements == 0
end

function Heap:add(element)
  table.insert(self.elements, element)
  self:siftUp(#self.elements)
end

function Heap:removeFirst()
  local elements = self.elements
  local first = elements[1]
  local last = table.remove(elements)
  if #elements > 0 then
    elements[1] = last
    self:siftDown(1)
  end
  return first
end

function Heap:siftUp(index)
  local elements = self.elements
  local element = elements[index]
  while index > 1 do
    local parent = index // 2
    if not (element < elements[parent]) then
      break
    end
    elements[index] = elements[parent]
    index = parent
  end
  elements[index] = element
end

function Heap:siftDown(index)
  local elements = self.elements
  local element = elements[index]
  local size = #elements
  while true do
    local child = index * 2
    if child < size and elements[child + 1] < elements[child] then
      child = child + 1
    end
    if child > size or not (elements[child] < element) then
      break
    end
    elements[index] = elements[child]
    index = child
  end
  elements[index] = element
end

local Simulation = {}
Simulation.__index = Simulation

function Simulation.new()
  return setmetatable({now = 0, scheduled = 0, events = Heap.new()}, Simulation)
end

function Simulation:after(delay, action)
  self.scheduled = self.scheduled + 1
  self.events:add(Event.new(self.now + delay, self.scheduled, action))
end

function Simulation:run()
  while not self.events:isEmpty() do
    local event = self.events:removeFirst()
    if event.time < self.now then
      error("time runs backwards")
    end
    self.now = event.time
    event:happen()
  end
end

local Customer = {}
Customer.__index = Customer

function Customer.new(arrival)
  return setmetatable({arrival = arrival, visits = 0}, Customer)
end

function Customer:visit()
  self.visits = self.visits + 1
end

-- A queue: elements from first to last.
local Queue = {}
Queue.__index = Queue

function Queue.new()
  return setmetatable({first = 1, last = 0}, Queue)
end

function Queue:size()
  return self.last - self.first + 1
end

function Queue:addLast(element)
  self.last = self.last + 1
  self[self.last] = element
end

function Queue:removeFirst()
  local element = self[self.first]
  self[self.first] = nil
  self.first = self.first + 1
  return element
end

local Station = {}
Station.__index = Station

function Station.new(simulation, generator, servers, serviceTime)
  return setmetatable({
    simulation = simulation, generator = generator, freeServers = servers,
    serviceTime = serviceTime, waiting = Queue.new(), served = 0, longest = 0,
  }, Station)
end

function Station:accept(customer)
  customer:visit()
  if self.freeServers > 0 then
    self:serve(customer)
  else
    self.waiting:addLast(customer)
    self.longest = math.max(self.longest, self.waiting:size())
  end
end

function Station:serve(customer)
  self.freeServers = self.freeServers - 1
  self.simulation:after(self.generator:upTo(self.serviceTime), function()
    self:finish(customer)
  end)
end

function Station:finish(customer)
  self.freeServers = self.freeServers + 1
  self.served = self.served + 1
  if self.waiting:size() > 0 then
    self:serve(self.waiting:removeFirst())
  end
  self.onward(customer)
end

local function check(condition, what)
  if not condition then
    error("not so: " .. what)
  end
end

-- The sum of the numbers of customers who are there, over all units of time, equals the sum of the
-- times that the customers stay: that checks the whole bookkeeping.
local QueueBenchmark = {}
QueueBenchmark.__index = QueueBenchmark

function QueueBenchmark.new()
  local simulation = Simulation.new()
  local generator = Generator.new()
  local counter = Station.new(simulation, generator, 20, 1800)
  local desk = Station.new(simulation, generator, 50, 5700)
  local till = Station.new(simulation, generator, 10, 1100)
  local self = setmetatable({
    simulation = simulation, generator = generator, stations = {counter, desk, till},
    left = 0, visits = 0, totalStay = 0, present = 0, lastChange = 0, area = 0,
  }, QueueBenchmark)
  counter.onward = function(customer)
    if generator:upTo(4) == 1 then
      till:accept(customer)
    else
      desk:accept(customer)
    end
  end
  desk.onward = function(customer)
    if generator:upTo(10) == 1 then
      counter:accept(customer)
    else
      till:accept(customer)
    end
  end
  till.onward = function(customer)
    self:leave(customer)
  end
  return self
end

function QueueBenchmark:change(difference)
  local now = self.simulation.now
  self.area = self.area + self.present * (now - self.lastChange)
  self.lastChange = now
  self.present = self.present + difference
end

function QueueBenchmark:scheduleArrival()
  self.simulation:after(self.generator:upTo(115), function()
    self:arrive()
  end)
end

function QueueBenchmark:arrive()
  self:change(1)
  self.stations[1]:accept(Customer.new(self.simulation.now))
  self.toCome = self.toCome - 1
  if self.toCome > 0 then
    self:scheduleArrival()
  end
end

function QueueBenchmark:leave(customer)
  self:change(-1)
  self.left = self.left + 1
  self.visits = self.visits + customer.visits
  self.totalStay = self.totalStay + self.simulation.now - customer.arrival
end

function QueueBenchmark:run(count)
  self.toCome = count
  self:scheduleArrival()
  self.simulation:run()
  local served, longest = 0, {}
  for i, station in ipairs(self.stations) do
    served = served + station.served
    longest[i] = station.longest
  end
  check(self.left == count and self.present == 0, "all have left")
  check(self.area == self.totalStay, "the times of the stay are those of the presence")
  check(served == self.visits, "all visits were served")
  return self.simulation.now .. " " .. self.visits .. " " .. self.totalStay // count .. " "
    .. table.concat(longest, " ")
end

print("queue: " .. QueueBenchmark.new():run(tonumber(arg[1])))
