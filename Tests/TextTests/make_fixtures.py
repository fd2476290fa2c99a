#!/usr/bin/env python3
"""Writes the fixtures of the tests of regular expressions: what Python's `re` matches.

    python3 Tests/TextTests/make_fixtures.py

Each line holds, with tabs between: a pattern, a text in which a line feed is written as `;`,
whether the pattern matches all of the text, and the matches from left to right. Of a match stands
where it and its groups begin and end. A `?` stands for the matches of a pattern with a loop over
what may match the empty text: implementations differ in which turn they prefer there, and agree
in what the pattern matches as a whole. The output is the same in every run.
"""

import os
import random
import re

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


def main():
    rng = random.Random(20260)
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
