#!/usr/bin/env python3
"""Writes the fixtures of the number tests, computed with Python's integers and decimals.

    python3 Tests/NumbersTests/make_fixtures.py

Operands are not written out but described as `[-]kind:bits:seed`, from which `TestOperand` in
`Operands.swift` makes the same number; large results are given as a hash. The output is the same
in every run.
"""

import decimal
import math
import os
import random
import struct
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Fixtures")
MASK = 2**64 - 1


class SplitMix64:
    """Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def operand(text):
    sign = -1 if text.startswith("-") else 1
    kind, bits, seed = text.lstrip("-").split(":")
    bits, seed = int(bits), int(seed)
    if bits == 0:
        return 0
    if kind == "o":
        return sign * (2**bits - 1)
    if kind == "p":
        return sign * 2**bits
    if kind == "q":
        return sign * (2**bits + 1)
    generator = SplitMix64(seed)
    value = 0
    for i in range((bits + 63) // 64):
        limb = generator.next()
        if kind == "z":
            limb = [0, MASK, 1, 2**63, limb][limb % 5]
        value |= limb << (64 * i)
    value &= 2**bits - 1
    return sign * (value | 1 << (bits - 1))


def fnv(items):
    value = 0xCBF29CE484222325
    for item in items:
        value = ((value ^ item) * 0x100000001B3) & MASK
        value ^= value >> 32
    return value


def hash_of(number):
    magnitude = abs(number)
    limbs = []
    while magnitude:
        limbs.append(magnitude & MASK)
        magnitude >>= 64
    return "%x" % (fnv(limbs) ^ (1 if number < 0 else 0))


def quo(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def text(number, radix):
    if number == 0:
        return "0"
    if radix == 10:
        return str(number)
    sign, number = ("-", -number) if number < 0 else ("", number)

    def cut(value, count):
        if count <= 64:
            out = []
            for _ in range(count):
                value, digit = divmod(value, radix)
                out.append(DIGITS[digit])
            return "".join(reversed(out))
        half = count // 2
        high, low = divmod(value, radix**half)
        return cut(high, count - half) + cut(low, half)

    return sign + cut(number, number.bit_length() + 1).lstrip("0")


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "quo": quo,
    "rem": lambda a, b: a - b * quo(a, b),
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "gcd": math.gcd,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "cmp": lambda a, b: (a > b) - (a < b),
}


def expressions():
    choose = random.Random(2024)
    lines = []

    def spec(bits, signed=True):
        kind = choose.choice("rrrzzzopq")
        sign = "-" if signed and choose.random() < 0.4 else ""
        return "%s%s:%d:%d" % (sign, kind, bits, choose.getrandbits(32))

    def size():
        return choose.choice(
            [
                choose.randrange(0, 70),
                choose.randrange(0, 260),
                64 * choose.randrange(1, 6) + choose.randrange(-1, 2),
                choose.randrange(200, 3000),
                choose.randrange(2000, 9000),
            ]
        )

    for operation in BINARY:
        for _ in range(220):
            a, b = spec(size()), spec(size())
            if operation in ("quo", "rem", "div", "mod") and operand(b) == 0:
                continue
            lines.append((operation, a, b))
    for operation, pairs in {
        "mul": [(30000, 30000), (31000, 3000), (70000, 40000), (90000, 90000), (200000, 33000)],
        "quo": [(30000, 9000), (60000, 30000), (90000, 20000), (120000, 80000), (70000, 300)],
        "rem": [(64000, 32000), (64000, 60000), (99999, 45678)],
        "gcd": [(9000, 9000), (20000, 15000)],
    }.items():
        for a, b in pairs:
            for _ in range(3):
                lines.append((operation, spec(a), spec(b)))
    lines.append(("mul", "r:700000:1", "r:690000:2"))
    lines.append(("quo", "r:700000:3", "r:350000:4"))
    out = []
    for operation, a, b in lines:
        result = BINARY[operation](operand(a), operand(b))
        out.append("%s %s %s %s" % (operation, a, b, hash_of(result)))
    for bits in [size() for _ in range(150)] + [30000, 60000, 200000]:
        a = spec(bits)
        out.append("sqr %s 0 %s" % (a, hash_of(operand(a) ** 2)))
        a = spec(bits, signed=False)
        out.append("sqrt %s 0 %s" % (a, hash_of(math.isqrt(operand(a)))))
        a, shift = spec(bits), choose.randrange(0, 300)
        out.append("shl %s %d %s" % (a, shift, hash_of(operand(a) << shift)))
        out.append("shr %s %d %s" % (a, shift, hash_of(operand(a) >> shift)))
        out.append("bits %s 0 %s" % (a, hash_of(operand(a).bit_length())))
        out.append("bit %s %d %s" % (a, shift, hash_of(operand(a) >> shift & 1)))
    for _ in range(150):
        a, exponent = spec(choose.randrange(0, 200)), choose.randrange(0, 40)
        out.append("pow %s %d %s" % (a, exponent, hash_of(operand(a) ** exponent)))
    for _ in range(100):
        a, b = spec(choose.randrange(0, 300)), spec(choose.randrange(0, 200), signed=False)
        modulus = spec(choose.randrange(1, 300))
        result = pow(operand(a), operand(b), operand(modulus))
        out.append("powmod %s %s,%s %s" % (a, b, modulus, hash_of(result)))
    for radix in range(2, 37):
        for bits in [choose.randrange(0, 64), choose.randrange(64, 400), 3000, 9000]:
            a = spec(bits)
            digits = text(operand(a), radix)
            out.append("text %s %d %x" % (a, radix, fnv(digits.encode())))
    for bits in (50000, 120000):
        a = spec(bits)
        out.append("text %s 10 %x" % (a, fnv(text(operand(a), 10).encode())))
    return out


def bits_of(value):
    return "%x" % struct.unpack("<Q", struct.pack("<d", value))[0]


def random_double(choose):
    while True:
        value = struct.unpack("<d", struct.pack("<Q", choose.getrandbits(64)))[0]
        if math.isfinite(value):
            return value


def floats():
    """Decimal texts and the bits of the nearest double; ratios of integers likewise."""
    choose = random.Random(2025)
    out = []

    def literal(text):
        out.append("literal %s %s" % (text, bits_of(float(text))))

    for text in (
        "0 0.0 1 100.0 1e400 1e-400 2.5e-3 9007199254740993 9007199254740992.99999999 1e22 1e23"
        " 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 4.9e-324 2.4703e-324"
        " 2.2250738585072011e-308 2.2250738585072014e-308 0.1 0.30000000000000004 5e-324"
        " 179769313486231580793728971405301e276 1e308 1e309 123456789012345678901234567890e-50"
    ).split():
        literal(text)
    for _ in range(600):
        digits = str(choose.getrandbits(choose.randrange(1, 200)))
        literal("%se%d" % (digits, choose.randrange(-340, 320) - choose.randrange(len(digits))))
    # Middles between two adjacent doubles, written out exactly, and their neighbours.
    for _ in range(60):
        value = abs(random_double(choose))
        if choose.random() < 0.3:
            value = struct.unpack("<d", struct.pack("<Q", choose.getrandbits(52)))[0]
        below, above = decimal.Decimal(value), decimal.Decimal(math.nextafter(value, math.inf))
        if not above.is_finite():
            continue
        with decimal.localcontext() as context:
            context.prec = 1200
            middle = (below + above) / 2
        sign, digits, exponent = middle.as_tuple()
        digits = "".join(map(str, digits))
        literal("%se%d" % (digits, exponent))
        literal("%s1e%d" % (digits, exponent - 1))
        literal("%se%d" % (int(digits) - 1, exponent))
    for _ in range(400):
        a = choose.getrandbits(choose.choice([10, 53, 64, 65, 200, 1000, 1100])) + 1
        b = choose.getrandbits(choose.choice([10, 53, 64, 65, 200, 1000, 1100])) + 1
        try:
            value = a / b
        except OverflowError:
            value = math.inf
        out.append("ratio %x/%x %s" % (a, b, bits_of(value)))
    return out


def places():
    """Numbers, a number of places, and the text with so many, rounded half away from zero."""
    choose = random.Random(2026)
    out = []
    # Enough for each digit of the largest and of the smallest double.
    decimal.getcontext().prec = 2000

    def rounded(value, count):
        unit = decimal.Decimal(1).scaleb(-count)
        result = format(value.quantize(unit, rounding=decimal.ROUND_HALF_UP), "f")
        return result[1:] if result.startswith("-") and not result.strip("-0.") else result

    for text in "0 -0.0 0.5 -0.5 1.5 2.5 0.125 0.375 1.005 2.675 0.05 -0.004 9.995 99.5 1e22 1e-7".split():
        for count in (0, 1, 2, 3, 10):
            value = float(text)
            out.append("float %s %d %s" % (bits_of(value), count, rounded(decimal.Decimal(value), count)))
    for _ in range(700):
        value = choose.choice(
            [
                choose.uniform(-1000, 1000),
                choose.randrange(-(10**6), 10**6) / 2 ** choose.randrange(0, 12),
                choose.randrange(-(10**9), 10**9) / 10 ** choose.randrange(0, 9),
                choose.uniform(-1, 1) * 10.0 ** choose.randrange(-30, 30),
            ]
        )
        count = choose.randrange(0, 25)
        out.append("float %s %d %s" % (bits_of(value), count, rounded(decimal.Decimal(value), count)))
    for _ in range(40):
        value, count = random_double(choose), choose.randrange(0, 400)
        out.append("float %s %d %s" % (bits_of(value), count, rounded(decimal.Decimal(value), count)))
    for _ in range(500):
        a = choose.randrange(-(10 ** choose.randrange(1, 30)), 10 ** choose.randrange(1, 30))
        b = choose.randrange(1, 10 ** choose.randrange(1, 20))
        if choose.random() < 0.3:
            b = 2 ** choose.randrange(0, 6) * 5 ** choose.randrange(0, 6)
        count = choose.randrange(0, 30)
        scaled, rest = divmod(abs(a) * 10**count, b)
        scaled += 2 * rest >= b
        digits = str(scaled).rjust(count + 1, "0")
        text = digits[: len(digits) - count] + ("." + digits[len(digits) - count :] if count else "")
        out.append("fraction %d/%d %d %s" % (a, b, count, ("-" if a < 0 and scaled else "") + text))
    return out


def main():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    os.makedirs(FOLDER, exist_ok=True)
    for name, lines in {
        "expressions": expressions(),
        "floats": floats(),
        "places": places(),
    }.items():
        with open(os.path.join(FOLDER, name + ".txt"), "w") as file:
            file.write("\n".join(lines) + "\n")


main()
