# CD: the detection of collisions between aircraft on a radar. Each of 200 frames draws the motions
# of the aircraft on a map of squares, which a red-black tree keeps, and compares those in the same
# square. The size is the number of aircraft, which is even.
import math
import sys


class CallSign:
    def __init__(self, number):
        self.number = number

    def compare_to(self, other):
        return self.number - other.number


class Vector2D:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector2D(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector2D(self.x - other.x, self.y - other.y)

    def compare_to(self, other):
        if self.x < other.x:
            return -1
        if self.x > other.x:
            return 1
        if self.y < other.y:
            return -1
        return 1 if self.y > other.y else 0


class Vector3D:
    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vector3D(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector3D(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor):
        return Vector3D(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def squared_magnitude(self):
        return self.dot(self)

    def magnitude(self):
        return math.sqrt(self.squared_magnitude())


class TreeNode:
    def __init__(self, key, value, parent):
        self.key = key
        self.value = value
        self.left = None
        self.right = None
        self.parent = parent
        self.is_red = True

    def leftmost(self):
        node = self
        while node.left is not None:
            node = node.left
        return node

    def successor(self):
        if self.right is not None:
            return self.right.leftmost()
        node, above = self, self.parent
        while above is not None and node is above.right:
            node = above
            above = above.parent
        return above


def is_red(node):
    return node is not None and node.is_red


class RedBlackTree:
    """A dictionary ordered by what compare_to says of its keys."""

    def __init__(self):
        self.root = None

    def items(self):
        if self.root is None:
            return
        node = self.root.leftmost()
        while node is not None:
            yield node.key, node.value
            node = node.successor()

    def node_at(self, key):
        node = self.root
        while node is not None:
            order = key.compare_to(node.key)
            if order == 0:
                return node
            node = node.left if order < 0 else node.right
        return None

    def at(self, key):
        """What is at a key, or None."""
        node = self.node_at(key)
        return None if node is None else node.value

    def exchange(self, key, value):
        """Stores a value at a key; returns the one that was there, or None."""
        parent = None
        node = self.root
        while node is not None:
            order = key.compare_to(node.key)
            if order == 0:
                old = node.value
                node.value = value
                return old
            parent = node
            node = node.left if order < 0 else node.right
        node = TreeNode(key, value, parent)
        if parent is None:
            self.root = node
        elif order < 0:
            parent.left = node
        else:
            parent.right = node
        self.balance_after_adding(node)
        return None

    def remove(self, key):
        node = self.node_at(key)
        if node is None:
            return
        cut = node
        if node.left is not None and node.right is not None:
            cut = node.right.leftmost()
        child = cut.right if cut.left is None else cut.left
        self.replace(cut, child)
        if cut is not node:
            node.key = cut.key
            node.value = cut.value
        if not cut.is_red:
            self.balance_after_removing(child, cut.parent)

    def replace(self, node, other):
        parent = node.parent
        if other is not None:
            other.parent = parent
        if parent is None:
            self.root = other
        elif node is parent.left:
            parent.left = other
        else:
            parent.right = other

    def rotate_left(self, node):
        child = node.right
        node.right = child.left
        if child.left is not None:
            child.left.parent = node
        self.replace(node, child)
        child.left = node
        node.parent = child

    def rotate_right(self, node):
        child = node.left
        node.left = child.right
        if child.right is not None:
            child.right.parent = node
        self.replace(node, child)
        child.right = node
        node.parent = child

    def balance_after_adding(self, node):
        while node is not self.root and node.parent.is_red:
            parent = node.parent
            grandparent = parent.parent
            is_left = parent is grandparent.left
            uncle = grandparent.right if is_left else grandparent.left
            if is_red(uncle):
                parent.is_red = False
                uncle.is_red = False
                grandparent.is_red = True
                node = grandparent
            elif is_left:
                if node is parent.right:
                    node = parent
                    self.rotate_left(node)
                node.parent.is_red = False
                grandparent.is_red = True
                self.rotate_right(grandparent)
            else:
                if node is parent.left:
                    node = parent
                    self.rotate_right(node)
                node.parent.is_red = False
                grandparent.is_red = True
                self.rotate_left(grandparent)
        self.root.is_red = False

    def balance_after_removing(self, node, parent):
        """A node, or the None below a parent, lacks a black node above it."""
        while node is not self.root and not is_red(node):
            if node is parent.left:
                sibling = parent.right
                if sibling.is_red:
                    sibling.is_red = False
                    parent.is_red = True
                    self.rotate_left(parent)
                    sibling = parent.right
                if is_red(sibling.left) or is_red(sibling.right):
                    if not is_red(sibling.right):
                        sibling.left.is_red = False
                        sibling.is_red = True
                        self.rotate_right(sibling)
                        sibling = parent.right
                    sibling.is_red = parent.is_red
                    parent.is_red = False
                    sibling.right.is_red = False
                    self.rotate_left(parent)
                    node = self.root
                else:
                    sibling.is_red = True
                    node = parent
                    parent = node.parent
            else:
                sibling = parent.left
                if sibling.is_red:
                    sibling.is_red = False
                    parent.is_red = True
                    self.rotate_right(parent)
                    sibling = parent.left
                if is_red(sibling.left) or is_red(sibling.right):
                    if not is_red(sibling.left):
                        sibling.right.is_red = False
                        sibling.is_red = True
                        self.rotate_left(sibling)
                        sibling = parent.left
                    sibling.is_red = parent.is_red
                    parent.is_red = False
                    sibling.left.is_red = False
                    self.rotate_right(parent)
                    node = self.root
                else:
                    sibling.is_red = True
                    node = parent
                    parent = node.parent
        if node is not None:
            node.is_red = False


MAX_X = 1000.0
MAX_Y = 1000.0
MAX_Z = 10.0
RADIUS = 1.0
SQUARE_SIZE = 2.0
ACROSS = Vector2D(SQUARE_SIZE, 0.0)
ALONG = Vector2D(0.0, SQUARE_SIZE)


class Aircraft:
    def __init__(self, call_sign, position):
        self.call_sign = call_sign
        self.position = position


class Simulator:
    def __init__(self, count):
        self.signs = [CallSign(i) for i in range(count)]

    def frame_at(self, time):
        """Pairs of aircraft fly side by side, one along a cosine and the other along a sine."""
        frame = []
        for i in range(0, len(self.signs), 2):
            frame.append(Aircraft(
                self.signs[i], Vector3D(time, math.cos(time) * 2 + i * 3, 10.0)))
            frame.append(Aircraft(
                self.signs[i + 1], Vector3D(time, math.sin(time) * 2 + i * 3, 10.0)))
        return frame


class Collision:
    def __init__(self, first, second, position):
        self.first = first
        self.second = second
        self.position = position


def meets_frame(start, end):
    """Whether a span of time has a part in the frame, which lasts from 0 to 1."""
    return start <= end and (start <= 1.0 <= end or start <= 0.0 <= end
                             or (start >= 0.0 and end <= 1.0))


def is_inside(point):
    return (0.0 <= point.x <= MAX_X and 0.0 <= point.y <= MAX_Y
            and 0.0 <= point.z <= MAX_Z)


class Motion:
    def __init__(self, call_sign, start, end):
        self.call_sign = call_sign
        self.start = start
        self.end = end

    def delta(self):
        return self.end - self.start

    def collision_with(self, other):
        """Where two aircraft first come too near to each other in the frame, or None."""
        delta, other_delta = self.delta(), other.delta()
        a = (other_delta - delta).squared_magnitude()
        if a == 0.0:
            # They keep their distance.
            if (other.start - self.start).magnitude() <= RADIUS:
                return (self.start + other.start) * 0.5
            return None
        b = (self.start - other.start).dot(delta - other_delta) * 2.0
        c = (other.start - self.start).squared_magnitude() - RADIUS * RADIUS
        discriminant = b * b - a * c * 4.0
        if discriminant < 0.0:
            return None
        start = (0.0 - b - math.sqrt(discriminant)) / (a * 2.0)
        end = (math.sqrt(discriminant) - b) / (a * 2.0)
        if not meets_frame(start, end):
            return None
        time = max(start, 0.0)
        point = (self.start + delta * time + (other.start + other_delta * time)) * 0.5
        return point if is_inside(point) else None

    def touches(self, square):
        """Whether the motion comes near a square of the map."""
        if square.x > MAX_X or square.x < 0.0 or square.y > MAX_Y or square.y < 0.0:
            return False
        margin = RADIUS / 2.0
        start = self.start
        xv = self.end.x - start.x
        yv = self.end.y - start.y
        # When the motion enters and leaves the columns and rows of the square.
        if xv == 0.0:
            if not square.x - margin <= start.x <= square.x + SQUARE_SIZE + margin:
                return False
        else:
            low_x = (square.x - margin - start.x) / xv
            high_x = (square.x + SQUARE_SIZE + margin - start.x) / xv
            if xv < 0.0:
                low_x, high_x = high_x, low_x
            if not meets_frame(low_x, high_x):
                return False
        if yv == 0.0:
            if not square.y - margin <= start.y <= square.y + SQUARE_SIZE + margin:
                return False
        else:
            low_y = (square.y - margin - start.y) / yv
            high_y = (square.y + SQUARE_SIZE + margin - start.y) / yv
            if yv < 0.0:
                low_y, high_y = high_y, low_y
            if not meets_frame(low_y, high_y):
                return False
        return xv == 0.0 or yv == 0.0 or (low_x <= high_y and low_y <= high_x)


def square_of(position):
    x = int(position.x / SQUARE_SIZE) * SQUARE_SIZE
    y = int(position.y / SQUARE_SIZE) * SQUARE_SIZE
    if position.x < 0.0:
        x -= SQUARE_SIZE
    if position.y < 0.0:
        y -= SQUARE_SIZE
    return Vector2D(x, y)


class CollisionDetector:
    def __init__(self):
        self.positions = RedBlackTree()

    def collisions_in(self, frame):
        collisions = []
        for crowd in self.crowds_of(self.motions_in(frame)):
            for i, motion in enumerate(crowd):
                for other in crowd[i + 1:]:
                    point = motion.collision_with(other)
                    if point is not None:
                        collisions.append(Collision(motion.call_sign, other.call_sign, point))
        return collisions

    def motions_in(self, frame):
        """The motions since the last frame; aircraft that are no longer seen are forgotten."""
        motions = []
        seen = RedBlackTree()
        for each in frame:
            old = self.positions.exchange(each.call_sign, each.position)
            seen.exchange(each.call_sign, True)
            motions.append(Motion(
                each.call_sign, each.position if old is None else old, each.position))
        gone = [sign for sign, _ in self.positions.items() if not seen.at(sign)]
        for each in gone:
            self.positions.remove(each)
        return motions

    def crowds_of(self, motions):
        """Lists of motions that touch the same square."""
        map = RedBlackTree()
        for each in motions:
            self.draw(each, square_of(each.start), map, RedBlackTree())
        return [crowd for _, crowd in map.items() if len(crowd) > 1]

    def draw(self, motion, square, map, seen):
        """Adds a motion to a square of the map, and to those around it, as far as it touches."""
        if not motion.touches(square):
            return
        if seen.exchange(square, True):
            return
        crowd = map.at(square)
        if crowd is None:
            crowd = []
            map.exchange(square, crowd)
        crowd.append(motion)
        self.draw(motion, square - ACROSS, map, seen)
        self.draw(motion, square + ACROSS, map, seen)
        self.draw(motion, square - ALONG, map, seen)
        self.draw(motion, square + ALONG, map, seen)
        self.draw(motion, square - ACROSS - ALONG, map, seen)
        self.draw(motion, square - ACROSS + ALONG, map, seen)
        self.draw(motion, square + ACROSS - ALONG, map, seen)
        self.draw(motion, square + ACROSS + ALONG, map, seen)


KNOWN = {2: 42, 10: 390, 100: 4305, 200: 8655, 250: 10830, 500: 14484, 1000: 14484}
size = int(sys.argv[1])
simulator = Simulator(size)
detector = CollisionDetector()
count = 0
for i in range(200):
    count += len(detector.collisions_in(simulator.frame_at(i / 10.0)))
print(f"cd: {count}")
if KNOWN.get(size, count) != count:
    raise Exception("cd: a wrong number of collisions")
