#!/usr/bin/env python3
"""Writes the fixtures of the tests of texts: what Python's `re` matches, and how Python's `json`,
`csv` and `plistlib` write and read numbers.

    python3 Tests/TextTests/make_fixtures.py

Each line of `regex.txt` holds, with tabs between: a pattern, a text in which a line feed is written as `;`,
whether the pattern matches all of the text, and the matches from left to right. Of a match stands
where it and its groups begin and end. A `?` stands for the matches of a pattern with a loop over
what may match the empty text: implementations differ in which turn they prefer there, and agree
in what the pattern matches as a whole. For `numbers.txt` see `write_numbers`. The output is the same in every run.
"""

import csv
import io
import json
import math
import os
import plistlib
import random
import re
import struct
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Fixtures")
COUNT = 4000


class Pattern:
    def __init__(self, text, nullable, captures, exact):
        self.text = text
        self.nullable = nullable
        self.captures = captures
        self.exact = exact


def atom(rng):
    text = rng.choice(
        ["a", "a", "b", "b", "c", ".", "[ab]", "[^a]", "[b-d]", r"\w", r"\s", r"\d", r"[\w-]", "AB"]
    )
    return Pattern(text if len(text) != 2 or text[0] == "\\" else f"(?:{text})", False, False, True)


def assertion(rng):
    return Pattern(rng.choice(["^", "$", r"\b", r"\B", r"\A"]), True, False, True)


def group(inner, rng):
    kind = rng.randrange(4)
    if kind == 0:
        return Pattern(f"({inner.text})", inner.nullable, True, inner.exact)
    if kind == 1:
        return Pattern(f"(?i:{inner.text})", inner.nullable, inner.captures, inner.exact)
    return Pattern(f"(?:{inner.text})", inner.nullable, inner.captures, inner.exact)


def repeat(inner, rng):
    sign, least = rng.choice(
        [("*", 0), ("+", 1), ("?", 0), ("{2}", 2), ("{1,2}", 1), ("{2,}", 2), ("{0,2}", 0)]
    )
    lazy = rng.choice(["", "", "?"])
    exact = inner.exact and not inner.nullable
    return Pattern(
        inner.text + sign + lazy, inner.nullable or least == 0, inner.captures, exact
    )


def build(rng, depth):
    if depth == 0:
        return atom(rng)
    kind = rng.randrange(10)
    if kind < 4:
        parts = [build(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
        if rng.randrange(6) == 0:
            parts.insert(rng.randrange(len(parts) + 1), assertion(rng))
        parts = [
            Pattern(f"(?:{p.text})", p.nullable, p.captures, p.exact) if "|" in p.text else p
            for p in parts
        ]
        return Pattern(
            "".join(p.text for p in parts),
            all(p.nullable for p in parts),
            any(p.captures for p in parts),
            all(p.exact for p in parts),
        )
    if kind < 6:
        parts = [build(rng, depth - 1) for _ in range(rng.randrange(2, 4))]
        return Pattern(
            "|".join(p.text for p in parts),
            any(p.nullable for p in parts),
            any(p.captures for p in parts),
            all(p.exact for p in parts),
        )
    inner = group(build(rng, depth - 1), rng)
    return repeat(inner, rng) if kind < 9 else inner


def spans(match):
    return ",".join(f"{match.start(n)}:{match.end(n)}" for n in range(match.re.groups + 1))


def matches(pattern, text, exact):
    if not exact:
        return "?"
    found, start = [], 0
    while start <= len(text):
        match = pattern.search(text, start)
        if match is None:
            break
        found.append(spans(match))
        start = match.end() if match.end() > match.start() else match.end() + 1
    return " ".join(found) or "none"


def exact(value):
    """The number as the tests make it without reading a text: an integer, or m * 2 ** e."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == 0:
        return "-0 0" if math.copysign(1, value) < 0 else "0 0"
    fraction, exponent = math.frexp(value)
    return f"{int(fraction * 2**53)} {exponent - 53}"


def write_numbers(rng):
    """Numbers as Python writes and reads them: format, text, the number, or `refused`."""
    floats = [0.0, -0.0, 0.1, 100.0, 1e16, 1e21, 1e22, 1e23, 1e-4, 1e-5, 1e-7, 5e-324, 2**53 + 0.0]
    floats += [2.2250738585072014e-308, sys.float_info.max, -sys.float_info.max, 123456789012345680.0]
    floats += [rng.uniform(-1000, 1000) for _ in range(100)]
    while len(floats) < 300:
        (value,) = struct.unpack("<d", rng.randbytes(8))
        if math.isfinite(value):
            floats.append(value)
    integers = [0, 7, -7, 2**62 - 1, 2**62, -(2**62), 2**63, 10**30]
    integers += [rng.choice([1, -1]) * rng.getrandbits(rng.randrange(1, 200)) for _ in range(100)]
    lines = []
    for value in floats + integers:
        lines.append(("json", json.dumps(value), exact(value)))
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow([value])
        # What is no number there stays a text: 0.0 is one.
        lines.append(("csv", row.getvalue(), exact(value)))
    for value in floats + [math.inf, -math.inf, math.nan]:
        text = plistlib.dumps(value).decode()
        lines.append(("plist", text[text.index("<real>") : text.index("</plist>")].strip(), exact(value)))
    forms = ["1e+2", "1E+2", "0e+5", "-1E+2", "1e2", "1.5e+3", "1.5E-3", "-0", "-0.0", "0.0e999999", "1e-999999"]
    forms += ["1e000002", "01", "-01", "+1", ".5", "1.", "1.e5", "1e", "1e+", "-", "--1", "1.5.5", "0x10", "1_000", "1 2"]
    for text in forms:
        try:
            value = json.loads(text, parse_int=int)
            lines.append(("json", text, exact(value)))
        except ValueError:
            lines.append(("json", text, "refused"))
    # In XML, plistlib reads reals as Python's float does, save for its underscores.
    reals = ["+1.5", "-.5", ".5", "5.", "007.25", "1e5", "1E+5", "1.e-3", "inf", "-Infinity", "+infinity", "NaN", "nan"]
    reals += ["", "1,5", "0x10", "1/2", "e5", ".", "1e", "16r10", "1.5s2"]
    for text in reals:
        lines.append(plist_line("real", text, float))
    for text in ["+5", "-0", "007", "0x1F", "0XfF", "", "5.0", "1e3", "1/2", "16r1F", "0x", "0x-1"]:
        lines.append(plist_line("integer", text, int))
    with open(os.path.join(FOLDER, "numbers.txt"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)


def plist_line(tag, text, kind):
    document = f"<{tag}>{text}</{tag}>"
    try:
        value = plistlib.loads(f'<plist version="1.0">{document}</plist>'.encode(), fmt=plistlib.FMT_XML)
        return "plist", document, exact(kind(value))
    except ValueError:
        return "plist", document, "refused"


def main():
    rng = random.Random(20260)
    write_numbers(random.Random(20261))
    os.makedirs(FOLDER, exist_ok=True)
    lines = []
    while len(lines) < COUNT:
        source = build(rng, rng.randrange(1, 5))
        if len(source.text) > 80:
            continue
        try:
            pattern = re.compile(source.text)
        except re.error:
            continue
        for _ in range(2):
            length = rng.randrange(0, 12)
            text = "".join(rng.choice("aaabbbcdAB1 \n-") for _ in range(length))
            # Before version 3.14 Python finds no non-boundary in the empty text.
            if not text and r"\B" in source.text:
                continue
            whole = 1 if pattern.fullmatch(text) else 0
            found = matches(pattern, text, source.exact)
            lines.append(f"{source.text}\t{text}\t{whole}\t{found}".replace("\n", ";"))
    with open(os.path.join(FOLDER, "regex.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:COUNT]) + "\n")


if __name__ == "__main__":
    main()
