# DeltaBlue: an incremental solver for constraints of different strengths, after Freeman-Benson and
# Maloney. The size is the number of constraints in a chain of equalities, whose one end is edited,
# and of those in a projection, whose source, target, scale and offset are.
import sys
from collections import deque


class Strength:
    def __init__(self, value):
        self.value = value

    def is_stronger(self, other):
        return self.value < other.value

    def is_weaker(self, other):
        return self.value > other.value

    def weakest(self, other):
        return other if other.is_weaker(self) else self


REQUIRED = Strength(0)
PREFERRED = Strength(1)
STRONG_DEFAULT = Strength(2)
DEFAULT = Strength(3)
WEAKEST = Strength(4)


class Variable:
    def __init__(self, value):
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0
        self.walk_strength = WEAKEST
        self.stay = True

    def add(self, constraint):
        self.constraints.append(constraint)

    def remove(self, constraint):
        self.constraints.remove(constraint)
        if self.determined_by is constraint:
            self.determined_by = None

    def consumers(self):
        """The constraints that compute something else from the variable."""
        for each in self.constraints:
            if each is not self.determined_by and each.is_satisfied():
                yield each

    def be_free(self):
        self.determined_by = None
        self.walk_strength = WEAKEST
        self.stay = True

    def is_known(self, mark):
        return self.mark == mark or self.stay or self.determined_by is None


class Constraint:
    """A subclass says which variables it has, which of them it can compute, and how."""

    def __init__(self, strength, planner):
        self.strength = strength
        self.add_to_graph()
        planner.add(self)

    def is_input(self):
        return False

    def remove_from(self, planner):
        if self.is_satisfied():
            planner.remove(self)
        else:
            self.remove_from_graph()

    def satisfy(self, mark, planner):
        """Tries to enforce the constraint; returns the one that it overrides, or None."""
        self.choose_method(mark)
        if not self.is_satisfied():
            if self.strength is REQUIRED:
                raise Exception("a required constraint cannot be satisfied")
            return None
        for each in self.inputs():
            each.mark = mark
        overridden = self.output().determined_by
        if overridden is not None:
            overridden.be_unsatisfied()
        self.output().determined_by = self
        if not planner.propagate(self, mark):
            raise Exception("a cycle")
        self.output().mark = mark
        return overridden

    def inputs_known(self, mark):
        for each in self.inputs():
            if not each.is_known(mark):
                return False
        return True


class UnaryConstraint(Constraint):
    def __init__(self, variable, strength, planner):
        self.variable = variable
        self.satisfied = False
        super().__init__(strength, planner)

    def add_to_graph(self):
        self.variable.add(self)
        self.satisfied = False

    def remove_from_graph(self):
        self.variable.remove(self)
        self.satisfied = False

    def inputs(self):
        return ()

    def output(self):
        return self.variable

    def is_satisfied(self):
        return self.satisfied

    def be_unsatisfied(self):
        self.satisfied = False

    def choose_method(self, mark):
        variable = self.variable
        self.satisfied = (variable.mark != mark
                          and self.strength.is_stronger(variable.walk_strength))

    def recalculate(self):
        self.variable.walk_strength = self.strength
        self.variable.stay = not self.is_input()
        if self.variable.stay:
            self.execute()

    def execute(self):
        pass


class StayConstraint(UnaryConstraint):
    pass


class EditConstraint(UnaryConstraint):
    def is_input(self):
        return True


class BinaryConstraint(Constraint):
    def __init__(self, first, second, strength, planner):
        self.first = first
        self.second = second
        self.direction = None
        super().__init__(strength, planner)

    def add_to_graph(self):
        self.first.add(self)
        self.second.add(self)
        self.direction = None

    def remove_from_graph(self):
        self.first.remove(self)
        self.second.remove(self)
        self.direction = None

    def is_satisfied(self):
        return self.direction is not None

    def be_unsatisfied(self):
        self.direction = None

    def input(self):
        return self.first if self.direction == "forward" else self.second

    def output(self):
        return self.second if self.direction == "forward" else self.first

    def inputs(self):
        return (self.input(),)

    def choose_method(self, mark):
        self.direction = None
        if self.first.mark == mark:
            self.choose("forward", self.second, mark)
        elif self.second.mark == mark:
            self.choose("backward", self.first, mark)
        elif self.first.walk_strength.is_weaker(self.second.walk_strength):
            self.choose("backward", self.first, mark)
        else:
            self.choose("forward", self.second, mark)

    def choose(self, direction, output, mark):
        if output.mark != mark and self.strength.is_stronger(output.walk_strength):
            self.direction = direction

    def recalculate(self):
        output = self.output()
        output.walk_strength = self.strength.weakest(self.input().walk_strength)
        output.stay = self.is_staying()
        if output.stay:
            self.execute()

    def is_staying(self):
        return self.input().stay


class EqualityConstraint(BinaryConstraint):
    def execute(self):
        self.output().value = self.input().value


class ScaleConstraint(BinaryConstraint):
    """The second variable is the first one times a scale plus an offset."""

    def __init__(self, source, target, scale, offset, strength, planner):
        self.scale = scale
        self.offset = offset
        super().__init__(source, target, strength, planner)

    def add_to_graph(self):
        super().add_to_graph()
        self.scale.add(self)
        self.offset.add(self)

    def remove_from_graph(self):
        super().remove_from_graph()
        self.scale.remove(self)
        self.offset.remove(self)

    def inputs(self):
        return (self.input(), self.scale, self.offset)

    def is_staying(self):
        return self.input().stay and self.scale.stay and self.offset.stay

    def execute(self):
        if self.direction == "forward":
            self.second.value = self.first.value * self.scale.value + self.offset.value
        else:
            self.first.value = (self.second.value - self.offset.value) // self.scale.value


class Plan:
    def __init__(self):
        self.steps = []

    def add(self, constraint):
        self.steps.append(constraint)

    def execute(self):
        for each in self.steps:
            each.execute()


class Planner:
    def __init__(self):
        self.mark = 1

    def new_mark(self):
        self.mark += 1
        return self.mark

    def add(self, constraint):
        mark = self.new_mark()
        overridden = constraint.satisfy(mark, self)
        while overridden is not None:
            overridden = overridden.satisfy(mark, self)

    def remove(self, constraint):
        output = constraint.output()
        constraint.be_unsatisfied()
        constraint.remove_from_graph()
        for each in self.free(output):
            self.add(each)

    def plan_for(self, constraints):
        """The steps that bring everything in order after a change of what constraints put in."""
        mark = self.new_mark()
        plan = Plan()
        todo = deque(each for each in constraints if each.is_input() and each.is_satisfied())
        while todo:
            constraint = todo.popleft()
            output = constraint.output()
            if output.mark != mark and constraint.inputs_known(mark):
                plan.add(constraint)
                output.mark = mark
                for each in output.consumers():
                    todo.append(each)
        return plan

    def propagate(self, constraint, mark):
        """Recalculates what lies downstream of a constraint; returns False when in a cycle."""
        todo = deque([constraint])
        while todo:
            each = todo.popleft()
            if each.output().mark == mark:
                self.remove(constraint)
                return False
            each.recalculate()
            for consumer in each.output().consumers():
                todo.append(consumer)
        return True

    def free(self, output):
        """Recalculates what lies downstream of a variable that nothing determines any longer;
        returns the constraints that may now be satisfied, the strongest first."""
        output.be_free()
        unsatisfied = []
        todo = deque([output])
        while todo:
            variable = todo.popleft()
            for each in variable.constraints:
                if not each.is_satisfied():
                    unsatisfied.append(each)
            for each in variable.consumers():
                each.recalculate()
                todo.append(each.output())
        unsatisfied.sort(key=lambda each: each.strength.value)
        return unsatisfied

    def change(self, variable, value):
        edit = EditConstraint(variable, PREFERRED, self)
        plan = self.plan_for([edit])
        for _ in range(10):
            variable.value = value
            plan.execute()
        edit.remove_from(self)


def chain(size):
    """Equalities in a row: the value of the first variable arrives at the last."""
    planner = Planner()
    variables = [Variable(0) for _ in range(size + 1)]
    for first, second in zip(variables, variables[1:]):
        EqualityConstraint(first, second, REQUIRED, planner)
    StayConstraint(variables[-1], STRONG_DEFAULT, planner)
    edit = EditConstraint(variables[0], PREFERRED, planner)
    plan = planner.plan_for([edit])
    for i in range(1, 101):
        variables[0].value = i
        plan.execute()
        if variables[-1].value != i:
            raise Exception("deltablue: a wrong chain")
    edit.remove_from(planner)
    return variables[-1].value


def check(targets, factor, offset):
    for i, each in enumerate(targets[:-1], 1):
        if each.value != i * factor + offset:
            raise Exception("deltablue: a wrong projection")


def projection(size):
    """Two rows of variables, each pair of them joined by the same scale and offset."""
    planner = Planner()
    scale, offset = Variable(10), Variable(1000)
    targets = []
    for i in range(1, size + 1):
        source, target = Variable(i), Variable(i)
        targets.append(target)
        StayConstraint(source, DEFAULT, planner)
        ScaleConstraint(source, target, scale, offset, REQUIRED, planner)
    planner.change(source, 17)
    if target.value != 1170:
        raise Exception("deltablue: a wrong target")
    planner.change(target, 1050)
    if source.value != 5:
        raise Exception("deltablue: a wrong source")
    planner.change(scale, 5)
    check(targets, 5, 1000)
    planner.change(offset, 2000)
    check(targets, 5, 2000)
    return sum(each.value for each in targets)


size = int(sys.argv[1])
print(f"deltablue: {chain(size)} {projection(size)}")
