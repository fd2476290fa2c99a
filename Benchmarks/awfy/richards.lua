-- Richards: the kernel of an operating system in small, after Martin Richards. Six tasks, ordered
-- by priority, send each other packets through a scheduler; a task is a function and its data. The
-- size is how often the simulation runs; the counts of packets and holds are known.
local IDLER, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 1, 2, 3, 4, 5, 6

local Packet = {}
Packet.__index = Packet

function Packet.new(link, identity, kind)
  return setmetatable({
    link = link, identity = identity, kind = kind, datum = 1, data = {0, 0, 0, 0}
  }, Packet)
end

function Packet:is_work() return self.kind == "work" end

-- Puts the packet at the end of a queue, and returns the queue.
function Packet:append_to(queue)
  self.link = nil
  if queue == nil then return self end
  local last = queue
  while last.link do last = last.link end
  last.link = self
  return queue
end

local Task = {}
Task.__index = Task

function Task.new(link, identity, priority, data, func)
  return setmetatable({
    link = link, identity = identity, priority = priority, input = nil, data = data, func = func,
    packet_pending = false, is_waiting = false, is_holding = false
  }, Task)
end

function Task:is_holding_or_waiting()
  return self.is_holding or (not self.packet_pending and self.is_waiting)
end

function Task:is_waiting_with_packet()
  return self.packet_pending and self.is_waiting and not self.is_holding
end

function Task:be_running()
  self.packet_pending = false
  self.is_waiting = false
  self.is_holding = false
end

function Task:be_pending()
  self.packet_pending = true
  self.is_waiting = false
  self.is_holding = false
end

function Task:be_waiting()
  self.packet_pending = false
  self.is_waiting = true
  self.is_holding = false
end

function Task:be_waiting_with_packet()
  self.packet_pending = true
  self.is_waiting = true
  self.is_holding = false
end

-- Takes a packet, and returns which of the two tasks is to go on.
function Task:add(packet, current)
  if self.input then
    self.input = packet:append_to(self.input)
    return current
  end
  packet.link = nil
  self.input = packet
  self.packet_pending = true
  if self.priority > current.priority then return self end
  return current
end

function Task:run()
  local packet
  if self:is_waiting_with_packet() then
    packet = self.input
    self.input = packet.link
    if self.input == nil then self:be_running() else self:be_pending() end
  end
  return self.func(packet, self.data)
end

local Scheduler = {}
Scheduler.__index = Scheduler

function Scheduler.new()
  return setmetatable({
    tasks = nil, table = {}, current = nil, queue_count = 0, hold_count = 0
  }, Scheduler)
end

function Scheduler:add_task(identity, priority, data, func)
  self.tasks = Task.new(self.tasks, identity, priority, data, func)
  self.table[identity] = self.tasks
  return self.tasks
end

function Scheduler:add_idler()
  local task = self:add_task(IDLER, 0, {control = 1, count = 10000}, function(packet, data)
    data.count = data.count - 1
    if data.count == 0 then return self:hold() end
    if data.control % 2 == 0 then
      data.control = data.control // 2
      return self:release(DEVICE_A)
    end
    data.control = data.control // 2 ~ 53256
    return self:release(DEVICE_B)
  end)
  task:be_running()
end

function Scheduler:add_worker(queue)
  local data = {destination = HANDLER_A, count = 0}
  local task = self:add_task(WORKER, 1000, data, function(packet, own)
    if packet == nil then return self:wait() end
    own.destination = own.destination == HANDLER_A and HANDLER_B or HANDLER_A
    packet.identity = own.destination
    packet.datum = 1
    for i = 1, 4 do
      own.count = own.count % 26 + 1
      packet.data[i] = 64 + own.count
    end
    return self:send(packet)
  end)
  task:be_waiting_with_packet()
  task.input = queue
end

function Scheduler:add_handler(identity, priority, queue)
  local task = self:add_task(identity, priority, {}, function(packet, data)
    if packet then
      if packet:is_work() then
        data.work_in = packet:append_to(data.work_in)
      else
        data.device_in = packet:append_to(data.device_in)
      end
    end
    return self:handle(data)
  end)
  task:be_waiting_with_packet()
  task.input = queue
end

function Scheduler:handle(data)
  local work = data.work_in
  if work == nil then return self:wait() end
  local count = work.datum
  if count > 4 then
    data.work_in = work.link
    return self:send(work)
  end
  local packet = data.device_in
  if packet == nil then return self:wait() end
  data.device_in = packet.link
  packet.datum = work.data[count]
  work.datum = count + 1
  return self:send(packet)
end

function Scheduler:add_device(identity, priority)
  local task = self:add_task(identity, priority, {}, function(packet, data)
    if packet == nil then return self:finish(data) end
    data.pending = packet
    return self:hold()
  end)
  task:be_waiting()
end

function Scheduler:finish(data)
  local packet = data.pending
  if packet == nil then return self:wait() end
  data.pending = nil
  return self:send(packet)
end

-- What tasks ask for: each function returns the task that is to run next.
function Scheduler:wait()
  self.current.is_waiting = true
  return self.current
end

function Scheduler:hold()
  self.hold_count = self.hold_count + 1
  self.current.is_holding = true
  return self.current.link
end

function Scheduler:release(identity)
  local task = self.table[identity]
  task.is_holding = false
  if task.priority > self.current.priority then return task end
  return self.current
end

function Scheduler:send(packet)
  local task = self.table[packet.identity]
  self.queue_count = self.queue_count + 1
  packet.identity = self.current.identity
  return task:add(packet, self.current)
end

function Scheduler:schedule()
  self.current = self.tasks
  while self.current do
    if self.current:is_holding_or_waiting() then
      self.current = self.current.link
    else
      self.current = self.current:run()
    end
  end
end

local function packets(count, identity, kind)
  local queue
  for _ = 1, count do queue = Packet.new(queue, identity, kind) end
  return queue
end

function Scheduler:run()
  self:add_idler()
  self:add_worker(packets(2, WORKER, "work"))
  self:add_handler(HANDLER_A, 2000, packets(3, DEVICE_A, "device"))
  self:add_handler(HANDLER_B, 3000, packets(3, DEVICE_B, "device"))
  self:add_device(DEVICE_A, 4000)
  self:add_device(DEVICE_B, 5000)
  self:schedule()
end

function Scheduler:is_right() return self.queue_count == 23246 and self.hold_count == 9297 end

local scheduler
for _ = 1, tonumber(arg[1]) do
  scheduler = Scheduler.new()
  scheduler:run()
  if not scheduler:is_right() then error("richards: a wrong count") end
end
print("richards: " .. scheduler.queue_count .. " " .. scheduler.hold_count)
