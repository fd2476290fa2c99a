# The Mandelbrot set as a picture of one bit a point, eight to a byte, and the exclusive or of its
# bytes. The size is the number of points on a side.
import sys


def bit_at(cr, ci):
    """1 when the point escapes within 50 steps, and 0 when it belongs to the set."""
    zi = square_r = square_i = 0.0
    for _ in range(50):
        zr = square_r - square_i + cr
        zi = 2.0 * zr * zi + ci
        square_r = zr * zr
        square_i = zi * zi
        if square_r + square_i > 4.0:
            return 1
    return 0


def checksum(size):
    sum = byte = bits = 0
    for y in range(size):
        ci = 2.0 * y / size - 1.0
        for x in range(size):
            byte = (byte << 1) + bit_at(2.0 * x / size - 1.5, ci)
            bits += 1
            if bits == 8 or x == size - 1:
                sum ^= byte << (8 - bits)
                byte = bits = 0
    return sum


KNOWN = {1: 128, 500: 191, 750: 50}
size = int(sys.argv[1])
sum = checksum(size)
if sum != KNOWN.get(size, sum):
    raise ValueError(f"checksum {sum}")
print(f"mandelbrot: {sum}")
