# Eratosthenes' sieve: the primes up to 5000 by crossing out the multiples of each.
# The size says how often; there are 669 primes.
import sys


def primes_up_to(limit):
    is_prime = [True] * (limit + 1)
    count = 0
    for number in range(2, limit + 1):
        if is_prime[number]:
            count += 1
            for multiple in range(number + number, limit + 1, number):
                is_prime[multiple] = False
    return count


def run(size):
    total = 0
    for _ in range(size):
        count = primes_up_to(5000)
        if count != 669:
            raise ValueError(f"{count} primes for 669")
        total += count
    return total


print(f"sieve: {run(int(sys.argv[1]))}")
