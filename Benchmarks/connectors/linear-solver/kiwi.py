"""The workloads of main.swift for kiwisolver (pip install kiwisolver), in Python.

Python's share of an edit is one call of suggestValue, one of updateVariables, and the reading.
"""
import statistics
import sys
import time

from kiwisolver import Solver, Variable, strength


def measure(count, body, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.process_time_ns()
        for index in range(count):
            body(index)
        times.append((time.process_time_ns() - start) / count)
    return statistics.median(times)


def report(name, n, add, edit, replace):
    print(f"{name:16s}{n:6d}{add:12.0f}{edit:12.0f}{replace:12.0f}")


def run(name, n, variables, constraints, edited, values, edits=200, replaces=20):
    solver = Solver()
    start = time.process_time_ns()
    for constraint in constraints:
        solver.addConstraint(constraint)
    add = (time.process_time_ns() - start) / len(constraints)
    solver.addEditVariable(edited, strength.strong)

    def edit(index):
        solver.suggestValue(edited, values(index))
        solver.updateVariables()
        return sum(variable.value() for variable in variables)

    edit_time = measure(edits, edit)
    replaced = constraints[len(constraints) // 2]

    def replace(_):
        solver.removeConstraint(replaced)
        solver.addConstraint(replaced)

    report(name, n, add, edit_time, measure(replaces, replace, rounds=3))


def row(n):
    window = Variable("W")
    x = [Variable(f"x{i}") for i in range(n)]
    w = [Variable(f"w{i}") for i in range(n)]
    all = [x[0] == 8, x[n - 1] + w[n - 1] == window - 8]
    for i in range(n):
        all.append(w[i] >= 4)
        if i:
            all.append(x[i] == x[i - 1] + w[i - 1] + 8)
            all.append(w[i] == w[0])
    run("row of views", n, [window] + x + w, all, window, lambda i: 60 * n + i % 50)


def chain(n):
    v = [Variable(f"v{i}") for i in range(n + 1)]
    all = [v[i + 1] == v[i] + 1 for i in range(n)]
    run("equality chain", n, v, all, v[0], lambda i: i + 1, replaces=3)


def buttons(n):
    window = Variable("W")
    w = [Variable(f"w{i}") for i in range(n)]
    h = [Variable(f"h{i}") for i in range(n)]
    y = [Variable(f"y{i}") for i in range(n)]
    all = []
    for i in range(n):
        all.append((w[i] == 0.5 * window + 3) | "medium")
        all.append(w[i] <= 400)
        all.append(h[i] >= 20)
        all.append((h[i] == 24) | "weak")
        all.append(y[i] == (y[i - 1] + h[i - 1] + 6 if i else 0))
    run("buttons", n, [window] + w + h + y, all, window, lambda i: 300 + i % 12 * 40)


if __name__ == "__main__":
    print("workload             n         add   edit+read  remove+add   (ns of CPU time)")
    for n in (10, 100, 300):
        row(n)
    for n in (100, 1000):
        chain(n)
    for n in (10, 100):
        buttons(n)
    sys.exit(0)
