# All orders of six elements, made by exchanging two at a time and exchanging them back.
# The size says how often; each time 8660 calls are counted.
import sys


class Permute:
    def __init__(self):
        self.count = 0
        self.elements = []

    def swap(self, i, j):
        elements = self.elements
        elements[i], elements[j] = elements[j], elements[i]

    def permute(self, n):
        self.count += 1
        if n == 0:
            return
        self.permute(n - 1)
        for i in range(n - 1, -1, -1):
            self.swap(n - 1, i)
            self.permute(n - 1)
            self.swap(n - 1, i)

    def calls(self):
        self.count = 0
        self.elements = list(range(6))
        self.permute(6)
        return self.count

    def run(self, size):
        total = 0
        for _ in range(size):
            calls = self.calls()
            if calls != 8660 or self.elements != sorted(self.elements):
                raise ValueError(f"{calls} calls for 8660, leaving {self.elements}")
            total += calls
        return total


print(f"permute: {Permute().run(int(sys.argv[1]))}")
