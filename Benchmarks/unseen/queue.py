# Discrete-event simulation of a queueing system: customers arrive at random times, visit three
# stations with several servers and a queue each, some of them once more, and leave. What is to
# happen is kept as functions in a binary heap ordered by time. Times are integers. The size is the
# number of customers. The heap is a part of the program, as in the other languages, and not heapq.
import sys
from collections import deque


class Generator:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed

    def up_to(self, limit):
        return self.next() * limit // 65536 + 1


class Event:
    def __init__(self, time, number, action):
        self.time = time
        self.number = number
        self.action = action

    def __lt__(self, other):
        # Events at the same time happen in the order in which they were scheduled.
        return self.time < other.time or (self.time == other.time and self.number < other.number)

    def happen(self):
        self.action()


class Heap:
    def __init__(self):
        self.elements = []

    def is_empty(self):
        return not self.elements

    def add(self, element):
        self.elements.append(element)
        self.sift_up(len(self.elements) - 1)

    def remove_first(self):
        elements = self.elements
        first = elements[0]
        last = elements.pop()
        if elements:
            elements[0] = last
            self.sift_down(0)
        return first

    def sift_up(self, index):
        elements = self.elements
        element = elements[index]
        while index > 0:
            parent = (index - 1) // 2
            if not element < elements[parent]:
                break
            elements[index] = elements[parent]
            index = parent
        elements[index] = element

    def sift_down(self, index):
        elements = self.elements
        element = elements[index]
        size = len(elements)
        while True:
            child = index * 2 + 1
            if child + 1 < size and elements[child + 1] < elements[child]:
                child += 1
            if child >= size or not elements[child] < element:
                break
            elements[index] = elements[child]
            index = child
        elements[index] = element


class Simulation:
    def __init__(self):
        self.now = 0
        self.scheduled = 0
        self.events = Heap()

    def after(self, delay, action):
        self.scheduled += 1
        self.events.add(Event(self.now + delay, self.scheduled, action))

    def run(self):
        while not self.events.is_empty():
            event = self.events.remove_first()
            if event.time < self.now:
                raise ValueError('time runs backwards')
            self.now = event.time
            event.happen()


class Customer:
    def __init__(self, arrival):
        self.arrival = arrival
        self.visits = 0

    def visit(self):
        self.visits += 1


class Station:
    def __init__(self, simulation, generator, servers, service_time):
        self.simulation = simulation
        self.generator = generator
        self.free_servers = servers
        self.service_time = service_time
        self.onward = None
        self.waiting = deque()
        self.served = 0
        self.longest = 0

    def accept(self, customer):
        customer.visit()
        if self.free_servers > 0:
            self.serve(customer)
        else:
            self.waiting.append(customer)
            self.longest = max(self.longest, len(self.waiting))

    def serve(self, customer):
        self.free_servers -= 1
        self.simulation.after(self.generator.up_to(self.service_time),
                              lambda: self.finish(customer))

    def finish(self, customer):
        self.free_servers += 1
        self.served += 1
        if self.waiting:
            self.serve(self.waiting.popleft())
        self.onward(customer)


def check(condition, what):
    if not condition:
        raise ValueError('not so: ' + what)


class QueueBenchmark:
    """The sum of the numbers of customers who are there, over all units of time, equals the sum of
    the times that the customers stay: that checks the whole bookkeeping."""

    def __init__(self):
        self.simulation = Simulation()
        self.generator = Generator()
        counter = Station(self.simulation, self.generator, 20, 1800)
        desk = Station(self.simulation, self.generator, 50, 5700)
        till = Station(self.simulation, self.generator, 10, 1100)
        counter.onward = lambda customer: (
            till if self.generator.up_to(4) == 1 else desk).accept(customer)
        desk.onward = lambda customer: (
            counter if self.generator.up_to(10) == 1 else till).accept(customer)
        till.onward = self.leave
        self.stations = [counter, desk, till]
        self.left = 0
        self.visits = 0
        self.total_stay = 0
        self.present = 0
        self.last_change = 0
        self.area = 0

    def change(self, difference):
        now = self.simulation.now
        self.area += self.present * (now - self.last_change)
        self.last_change = now
        self.present += difference

    def schedule_arrival(self):
        self.simulation.after(self.generator.up_to(115), self.arrive)

    def arrive(self):
        self.change(1)
        self.stations[0].accept(Customer(self.simulation.now))
        self.to_come -= 1
        if self.to_come > 0:
            self.schedule_arrival()

    def leave(self, customer):
        self.change(-1)
        self.left += 1
        self.visits += customer.visits
        self.total_stay += self.simulation.now - customer.arrival

    def run(self, count):
        self.to_come = count
        self.schedule_arrival()
        self.simulation.run()
        check(self.left == count and self.present == 0, 'all have left')
        check(self.area == self.total_stay, 'the times of the stay are those of the presence')
        check(sum(station.served for station in self.stations) == self.visits,
              'all visits were served')
        longest = ' '.join(str(station.longest) for station in self.stations)
        return f'{self.simulation.now} {self.visits} {self.total_stay // count} {longest}'


print('queue:', QueueBenchmark().run(int(sys.argv[1])))
