# Eight queens on a chess board so that none attacks another, found by trying column after column.
# The size says how often ten boards are solved; the rows of the queens are printed.
import sys


class Queens:
    def __init__(self):
        self.free_rows = [True] * 8
        self.free_rising = [True] * 16
        self.free_falling = [True] * 16
        self.rows = [None] * 8

    def is_free(self, row, column):
        return (self.free_rows[row] and self.free_rising[column + row]
                and self.free_falling[column - row + 7])

    def mark(self, row, column, is_free):
        self.free_rows[row] = is_free
        self.free_rising[column + row] = is_free
        self.free_falling[column - row + 7] = is_free

    def place(self, column):
        """Returns whether queens can stand in this column and all after it."""
        for row in range(8):
            if self.is_free(row, column):
                self.rows[column] = row
                self.mark(row, column, False)
                if column == 7:
                    return True
                if self.place(column + 1):
                    return True
                self.mark(row, column, True)
        return False


def solve():
    board = Queens()
    if not board.place(0):
        raise ValueError("no solution found")
    return board.rows


def run(size):
    for _ in range(size * 10):
        rows = solve()
        if rows != [0, 4, 7, 5, 2, 6, 1, 3]:
            raise ValueError(f"wrong solution {rows}")
    return rows


print("queens:", *(row + 1 for row in run(int(sys.argv[1]))))
