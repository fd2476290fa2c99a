# Big integers: the digits of pi by Gibbons's spigot, checked with Machin's formula; a factorial;
# a Fibonacci number by doubling, checked with Cassini's identity; powers modulo the Mersenne prime
# 2 ** 521 - 1, checked with Euler's criterion. All is made of the four operations: nothing that the
# library has for such powers and factorials is used. The size is the number of digits of pi.
import sys

sys.set_int_max_str_digits(0)


def spigot(count):
    """Linear transformations take in one term after the other, until the next digit is certain."""
    digits = []
    numerator, total, denominator, k = 1, 0, 1, 0
    while len(digits) < count:
        k += 1
        total = (total + numerator * 2) * (k * 2 + 1)
        denominator *= k * 2 + 1
        numerator *= k
        if total < numerator:
            continue
        digit = (numerator * 3 + total) // denominator
        if digit != (numerator * 4 + total) // denominator:
            continue
        digits.append(str(digit))
        total = (total - digit * denominator) * 10
        numerator *= 10
    return ''.join(digits)


def arctan_of_inverse(x, unit):
    power = unit // x
    total = power
    n = 1
    while power > 0:
        power //= x * x
        n += 2
        if n % 4 == 1:
            total += power // n
        else:
            total -= power // n
    return total


def machin(count):
    unit = 10 ** (count + 10)
    pi = arctan_of_inverse(5, unit) * 16 - arctan_of_inverse(239, unit) * 4
    return str(pi)[:count]


def check(condition, what):
    if not condition:
        raise ValueError('not so: ' + what)


def digit_sum(integer):
    return sum(int(each) for each in str(integer))


def pi(count):
    digits = spigot(count)
    check(digits == machin(count), 'both ways lead to pi')
    return digits[-10:]


def factorial(n):
    product = 1
    for factor in range(1, n + 1):
        product *= factor
    zeros = 0
    power = 5
    while power <= n:
        zeros += n // power
        power *= 5
    check(product % 10 ** zeros == 0 and product % 10 ** (zeros + 1) != 0,
          'the factorial has the right count of zeros')
    return digit_sum(product)


def fibonacci_pair(n):
    """The Fibonacci number and the next one."""
    if n == 0:
        return 0, 1
    a, b = fibonacci_pair(n // 2)
    c = (b * 2 - a) * a
    d = a * a + b * b
    return (c, d) if n % 2 == 0 else (d, c + d)


def fibonacci(n):
    a, b = fibonacci_pair(n)
    check((b - a) * b - a * a == (1 if n % 2 == 0 else -1),
          'the Fibonacci numbers are neighbours')
    return digit_sum(a)


def raise_to(base, exponent, modulus):
    result = 1
    square = base
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * square % modulus
        square = square * square % modulus
        exponent //= 2
    return result


def residues(count):
    prime = 2 ** 521 - 1
    found = 0
    for i in range(1, count + 1):
        power = raise_to(i + 1, (prime - 1) // 2, prime)
        check(power == 1 or power == prime - 1, 'the power is 1 or -1')
        if power == 1:
            found += 1
    return found


def run(n):
    return f'{pi(n)} {factorial(n)} {fibonacci(n * 20)} {residues(n // 100 + 1)}'


print('bigint:', run(int(sys.argv[1])))
