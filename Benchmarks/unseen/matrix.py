# Dense linear algebra on floats: the product of two square matrices, an LU factorisation with
# partial pivoting, the determinant, and the solution of a system of equations. A matrix is a
# list of rows. The size is the number of rows.
import math
import sys


class Generator:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed

    def next_float(self):
        return self.next() / 65536.0 - 0.5


def dot(left, right):
    total = 0.0
    for x, y in zip(left, right):
        total += x * y
    return total


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def random(cls, n, generator):
        return cls([[generator.next_float() for _ in range(n)] for _ in range(n)])

    def transposed(self):
        return Matrix([[row[j] for row in self.rows] for j in range(len(self.rows))])

    def times(self, other):
        columns = other.transposed().rows
        return Matrix([[dot(row, column) for column in columns] for row in self.rows])

    def times_vector(self, vector):
        return [dot(row, vector) for row in self.rows]

    def trace(self):
        total = 0.0
        for i, row in enumerate(self.rows):
            total += row[i]
        return total

    def factorized(self):
        return LU(self)


class LU:
    """The factors stand in one list of rows: the upper one on the diagonal and above, the lower
    one, whose diagonal is all ones, below. The rows are in the order of the pivots."""

    def __init__(self, matrix):
        self.rows = [row[:] for row in matrix.rows]
        self.order = list(range(len(self.rows)))
        self.sign = 1
        for k in range(len(self.rows)):
            self.pivot(k)
            self.eliminate(k)

    def pivot(self, k):
        rows, order = self.rows, self.order
        best = k
        for i in range(k + 1, len(rows)):
            if abs(rows[i][k]) > abs(rows[best][k]):
                best = i
        if rows[best][k] == 0.0:
            raise ValueError('the matrix is singular')
        if best != k:
            rows[k], rows[best] = rows[best], rows[k]
            order[k], order[best] = order[best], order[k]
            self.sign = -self.sign

    def eliminate(self, k):
        rows = self.rows
        pivot_row = rows[k]
        for i in range(k + 1, len(rows)):
            row = rows[i]
            factor = row[k] / pivot_row[k]
            row[k] = factor
            for j in range(k + 1, len(row)):
                row[j] = row[j] - factor * pivot_row[j]

    def determinant(self):
        product = float(self.sign)
        for i, row in enumerate(self.rows):
            product *= row[i]
        return product

    def solve(self, vector):
        rows = self.rows
        n = len(rows)
        x = [vector[i] for i in self.order]
        for i in range(n):
            total = x[i]
            for j in range(i):
                total -= rows[i][j] * x[j]
            x[i] = total
        for i in range(n - 1, -1, -1):
            total = x[i]
            for j in range(i + 1, n):
                total -= rows[i][j] * x[j]
            x[i] = total / rows[i][i]
        return x


def check(actual, expected):
    for x, y in zip(actual, expected):
        if abs(x - y) > 0.000001:
            raise ValueError(f'wrong result: {x} instead of {y}')


def scaled(x):
    return math.floor(x * 1000000.0 + 0.5)


def run(n):
    generator = Generator()
    a = Matrix.random(n, generator)
    b = Matrix.random(n, generator)
    product = a.times(b)
    ones = [1.0] * n
    check(product.times_vector(ones), a.times_vector(b.times_vector(ones)))
    lu = a.factorized()
    solution = lu.solve(a.times_vector(ones))
    check(solution, ones)
    digits = math.log10(abs(lu.determinant()))
    return f'{scaled(product.trace())} {scaled(digits)}'


print('matrix:', run(int(sys.argv[1])))
