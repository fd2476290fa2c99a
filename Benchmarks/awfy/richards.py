# Richards: the kernel of an operating system in small, after Martin Richards. Six tasks, ordered
# by priority, send each other packets through a scheduler; a task is a function and its data. The
# size is how often the simulation runs; the counts of packets and holds are known.
import sys

IDLER, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)


class Packet:
    def __init__(self, link, identity, kind):
        self.link = link
        self.identity = identity
        self.kind = kind
        self.datum = 0
        self.data = [0] * 4

    def is_work(self):
        return self.kind == "work"

    def append_to(self, queue):
        """Puts the packet at the end of a queue, and returns the queue."""
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class IdlerData:
    def __init__(self):
        self.control = 1
        self.count = 10000


class WorkerData:
    def __init__(self):
        self.destination = HANDLER_A
        self.count = 0


class HandlerData:
    def __init__(self):
        self.work_in = None
        self.device_in = None


class DeviceData:
    def __init__(self):
        self.pending = None


class Task:
    def __init__(self, link, identity, priority, data, function):
        self.link = link
        self.identity = identity
        self.priority = priority
        self.input = None
        self.data = data
        self.function = function
        self.packet_pending = False
        self.is_waiting = False
        self.is_holding = False

    def is_holding_or_waiting(self):
        return self.is_holding or (not self.packet_pending and self.is_waiting)

    def is_waiting_with_packet(self):
        return self.packet_pending and self.is_waiting and not self.is_holding

    def be_running(self):
        self.packet_pending = False
        self.is_waiting = False
        self.is_holding = False

    def be_pending(self):
        self.packet_pending = True
        self.is_waiting = False
        self.is_holding = False

    def be_waiting(self):
        self.packet_pending = False
        self.is_waiting = True
        self.is_holding = False

    def be_waiting_with_packet(self):
        self.packet_pending = True
        self.is_waiting = True
        self.is_holding = False

    def add(self, packet, current):
        """Takes a packet, and returns which of the two tasks is to go on."""
        if self.input is not None:
            self.input = packet.append_to(self.input)
            return current
        packet.link = None
        self.input = packet
        self.packet_pending = True
        return self if self.priority > current.priority else current

    def run(self):
        packet = None
        if self.is_waiting_with_packet():
            packet = self.input
            self.input = packet.link
            if self.input is None:
                self.be_running()
            else:
                self.be_pending()
        return self.function(packet, self.data)


def packets(count, identity, kind):
    queue = None
    for _ in range(count):
        queue = Packet(queue, identity, kind)
    return queue


class Scheduler:
    def __init__(self):
        self.tasks = None
        self.table = [None] * 6
        self.current = None
        self.queue_count = 0
        self.hold_count = 0

    def add_task(self, identity, priority, data, function):
        self.tasks = Task(self.tasks, identity, priority, data, function)
        self.table[identity] = self.tasks
        return self.tasks

    def add_idler(self):
        def function(packet, data):
            data.count -= 1
            if data.count == 0:
                return self.hold()
            if data.control % 2 == 0:
                data.control //= 2
                return self.release(DEVICE_A)
            data.control = data.control // 2 ^ 53256
            return self.release(DEVICE_B)

        self.add_task(IDLER, 0, IdlerData(), function).be_running()

    def add_worker(self, queue):
        def function(packet, data):
            if packet is None:
                return self.wait()
            data.destination = HANDLER_B if data.destination == HANDLER_A else HANDLER_A
            packet.identity = data.destination
            packet.datum = 0
            for i in range(4):
                data.count = data.count % 26 + 1
                packet.data[i] = 64 + data.count
            return self.send(packet)

        task = self.add_task(WORKER, 1000, WorkerData(), function)
        task.be_waiting_with_packet()
        task.input = queue

    def add_handler(self, identity, priority, queue):
        def function(packet, data):
            if packet is not None:
                if packet.is_work():
                    data.work_in = packet.append_to(data.work_in)
                else:
                    data.device_in = packet.append_to(data.device_in)
            return self.handle(data)

        task = self.add_task(identity, priority, HandlerData(), function)
        task.be_waiting_with_packet()
        task.input = queue

    def handle(self, data):
        work = data.work_in
        if work is None:
            return self.wait()
        count = work.datum
        if count >= 4:
            data.work_in = work.link
            return self.send(work)
        packet = data.device_in
        if packet is None:
            return self.wait()
        data.device_in = packet.link
        packet.datum = work.data[count]
        work.datum = count + 1
        return self.send(packet)

    def add_device(self, identity, priority):
        def function(packet, data):
            if packet is None:
                return self.finish(data)
            data.pending = packet
            return self.hold()

        self.add_task(identity, priority, DeviceData(), function).be_waiting()

    def finish(self, data):
        packet = data.pending
        if packet is None:
            return self.wait()
        data.pending = None
        return self.send(packet)

    # What tasks ask for: each method returns the task that is to run next.

    def wait(self):
        self.current.is_waiting = True
        return self.current

    def hold(self):
        self.hold_count += 1
        self.current.is_holding = True
        return self.current.link

    def release(self, identity):
        task = self.table[identity]
        task.is_holding = False
        return task if task.priority > self.current.priority else self.current

    def send(self, packet):
        task = self.table[packet.identity]
        self.queue_count += 1
        packet.identity = self.current.identity
        return task.add(packet, self.current)

    def schedule(self):
        self.current = self.tasks
        while self.current is not None:
            if self.current.is_holding_or_waiting():
                self.current = self.current.link
            else:
                self.current = self.current.run()

    def run(self):
        self.add_idler()
        self.add_worker(packets(2, WORKER, "work"))
        self.add_handler(HANDLER_A, 2000, packets(3, DEVICE_A, "device"))
        self.add_handler(HANDLER_B, 3000, packets(3, DEVICE_B, "device"))
        self.add_device(DEVICE_A, 4000)
        self.add_device(DEVICE_B, 5000)
        self.schedule()

    def is_right(self):
        return self.queue_count == 23246 and self.hold_count == 9297


for _ in range(int(sys.argv[1])):
    scheduler = Scheduler()
    scheduler.run()
    if not scheduler.is_right():
        raise Exception("richards: a wrong count")
print(f"richards: {scheduler.queue_count} {scheduler.hold_count}")
