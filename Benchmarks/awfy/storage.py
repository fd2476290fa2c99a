# A tree of arrays, each of the four places of a node holding a node, down to empty arrays of
# random sizes from 1 to 10. The size says how many trees are built; each counts 5461 arrays.
import sys


class RandomSource:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed


class Storage:
    def __init__(self):
        self.count = 0
        self.random = None

    def tree_of_depth(self, depth):
        self.count += 1
        if depth == 1:
            return [None] * (self.random.next() % 10 + 1)
        return [self.tree_of_depth(depth - 1) for _ in range(4)]

    def arrays(self):
        self.random = RandomSource()
        self.count = 0
        self.tree_of_depth(7)
        return self.count

    def run(self, size):
        total = 0
        for _ in range(size):
            arrays = self.arrays()
            if arrays != 5461:
                raise ValueError(f"{arrays} arrays for 5461")
            total += arrays
        return total


print(f"storage: {Storage().run(int(sys.argv[1]))}")
