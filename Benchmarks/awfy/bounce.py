# Balls in a box: 100 balls fly for 50 steps and the collisions with the walls are counted.
# The size says how many boxes are simulated; a box always counts 1331 collisions.
import sys


class RandomSource:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed


class Ball:
    def __init__(self, random):
        self.x = random.next() % 500
        self.y = random.next() % 500
        self.x_velocity = random.next() % 300 - 150
        self.y_velocity = random.next() % 300 - 150

    def bounce(self):
        """Moves one step and returns whether a wall was hit."""
        hit = False
        self.x += self.x_velocity
        self.y += self.y_velocity
        if self.x > 500:
            self.x = 500
            self.x_velocity = -abs(self.x_velocity)
            hit = True
        if self.x < 0:
            self.x = 0
            self.x_velocity = abs(self.x_velocity)
            hit = True
        if self.y > 500:
            self.y = 500
            self.y_velocity = -abs(self.y_velocity)
            hit = True
        if self.y < 0:
            self.y = 0
            self.y_velocity = abs(self.y_velocity)
            hit = True
        return hit


def collisions():
    random = RandomSource()
    balls = [Ball(random) for _ in range(100)]
    count = 0
    for _ in range(50):
        for ball in balls:
            if ball.bounce():
                count += 1
    return count


def run(size):
    total = 0
    for _ in range(size):
        count = collisions()
        if count != 1331:
            raise ValueError(f"{count} collisions for 1331")
        total += count
    return total


print(f"bounce: {run(int(sys.argv[1]))}")
