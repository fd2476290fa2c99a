# The towers of Hanoi: 13 disks move from the first pile to the second, a larger one never onto a
# smaller one. The size says how often; each time takes 8191 moves.
import sys


class Disk:
    def __init__(self, size):
        self.size = size
        self.below = None


class Towers:
    def __init__(self):
        self.piles = []
        self.moves = 0

    def push(self, disk, pile):
        top = self.piles[pile]
        if top is not None and disk.size >= top.size:
            raise ValueError("a disk cannot lie on a smaller one")
        disk.below = top
        self.piles[pile] = disk

    def pop(self, pile):
        top = self.piles[pile]
        if top is None:
            raise ValueError("the pile is empty")
        self.piles[pile] = top.below
        top.below = None
        return top

    def move_top(self, source, target):
        self.push(self.pop(source), target)
        self.moves += 1

    def build(self, pile, count):
        for size in range(count, 0, -1):
            self.push(Disk(size), pile)

    def move(self, count, source, target):
        if count == 1:
            self.move_top(source, target)
            return
        other = 3 - source - target
        self.move(count - 1, source, other)
        self.move_top(source, target)
        self.move(count - 1, other, target)

    def count_moves(self):
        self.piles = [None] * 3
        self.moves = 0
        self.build(0, 13)
        self.move(13, 0, 1)
        return self.moves

    def run(self, size):
        total = 0
        for _ in range(size):
            count = self.count_moves()
            if count != 8191:
                raise ValueError(f"{count} moves for 8191")
            total += count
        return total


print(f"towers: {Towers().run(int(sys.argv[1]))}")
