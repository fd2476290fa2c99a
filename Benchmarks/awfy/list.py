# Takeuchi's function on linked lists of 15, 10 and 6 elements: the length of a list is its number.
# The size says how often it is computed; the list it answers always has 10 elements.
import sys


class Element:
    def __init__(self, next):
        self.next = next

    @classmethod
    def of_length(cls, length):
        if length == 0:
            return None
        return cls(cls.of_length(length - 1))

    def length(self):
        if self.next is None:
            return 1
        return 1 + self.next.length()


def is_shorter(x, y):
    while y is not None:
        if x is None:
            return True
        x, y = x.next, y.next
    return False


def takeuchi(x, y, z):
    if not is_shorter(y, x):
        return z
    return takeuchi(takeuchi(x.next, y, z), takeuchi(y.next, z, x), takeuchi(z.next, x, y))


def run(size):
    total = 0
    for _ in range(size):
        result = takeuchi(Element.of_length(15), Element.of_length(10), Element.of_length(6))
        if result.length() != 10:
            raise ValueError(f"{result.length()} elements for 10")
        total += result.length()
    return total


print(f"list: {run(int(sys.argv[1]))}")
