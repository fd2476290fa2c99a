# The sun and its four largest planets under their gravity. The size is the number of steps of a
# hundredth of a year; the energy of the system afterwards is printed.
import itertools
import math
import sys

DAYS_PER_YEAR = 365.24
SOLAR_MASS = 4.0 * math.pi * math.pi


class Body:
    def __init__(self, position, velocity, mass):
        """Velocities are given for days, the mass for a sun of mass 1."""
        self.x, self.y, self.z = position
        self.vx, self.vy, self.vz = (v * DAYS_PER_YEAR for v in velocity)
        self.mass = mass * SOLAR_MASS

    def attract(self, other, time):
        dx = self.x - other.x
        dy = self.y - other.y
        dz = self.z - other.z
        squared = dx * dx + dy * dy + dz * dz
        magnitude = time / (squared * math.sqrt(squared))
        self.vx -= dx * other.mass * magnitude
        self.vy -= dy * other.mass * magnitude
        self.vz -= dz * other.mass * magnitude
        other.vx += dx * self.mass * magnitude
        other.vy += dy * self.mass * magnitude
        other.vz += dz * self.mass * magnitude

    def move(self, time):
        self.x += time * self.vx
        self.y += time * self.vy
        self.z += time * self.vz

    def distance_to(self, other):
        dx = self.x - other.x
        dy = self.y - other.y
        dz = self.z - other.z
        return math.sqrt(dx * dx + dy * dy + dz * dz)

    def kinetic_energy(self):
        return 0.5 * self.mass * (self.vx * self.vx + self.vy * self.vy + self.vz * self.vz)


class SolarSystem:
    def __init__(self):
        self.bodies = [
            Body((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0),
            Body(  # Jupiter
                (4.84143144246472090, -1.16032004402742839, -0.103622044471123109),
                (0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023),
                0.000954791938424326609),
            Body(  # Saturn
                (8.34336671824457987, 4.12479856412430479, -0.403523417114321381),
                (-0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929),
                0.000285885980666130812),
            Body(  # Uranus
                (12.8943695621391310, -15.1111514016986312, -0.223307578892655734),
                (0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556),
                0.0000436624404335156298),
            Body(  # Neptune
                (15.3796971148509165, -25.9193146099879641, 0.179258772950371181),
                (0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870),
                0.0000515138902046611451),
        ]
        self.stop_drifting()

    def stop_drifting(self):
        """Gives the sun the velocity that makes the momentum of the whole system 0."""
        sun = self.bodies[0]
        px = sum(body.vx * body.mass for body in self.bodies)
        py = sum(body.vy * body.mass for body in self.bodies)
        pz = sum(body.vz * body.mass for body in self.bodies)
        sun.vx = -px / SOLAR_MASS
        sun.vy = -py / SOLAR_MASS
        sun.vz = -pz / SOLAR_MASS

    def advance(self, time):
        for one, other in itertools.combinations(self.bodies, 2):
            one.attract(other, time)
        for body in self.bodies:
            body.move(time)

    def energy(self):
        energy = sum(body.kinetic_energy() for body in self.bodies)
        for one, other in itertools.combinations(self.bodies, 2):
            energy -= one.mass * other.mass / one.distance_to(other)
        return energy


KNOWN = {0: "-0.169075164", 1000: "-0.169087605", 250000: "-0.169085989"}
size = int(sys.argv[1])
system = SolarSystem()
for _ in range(size):
    system.advance(0.01)
energy = f"{system.energy():.9f}"
if energy != KNOWN.get(size, energy):
    raise ValueError(f"energy {energy}")
print(f"nbody: {energy}")
