"""Checks grammar/tenon.tmLanguage.json: the files beside this one say which scopes it gives.

A comment line below a line of code holds carets under some of its columns and the scope that they
have, or begins with `//<-`, which speaks of the first column. The scope may be given by its
beginning. The tokeniser is textmate-grammar-python.

Usage: check.py
"""

import json
import logging
import pathlib
import re
import sys

from textmate_grammar.parsers.base import LanguageParser

FOLDER = pathlib.Path(__file__).parent
ASSERTION = re.compile(r"^\s*//(?:(?P<first><-)|(?P<blanks> *)(?P<carets>\^+)) (?P<scope>[a-z.-]+)$")


def scopes_of(parser, text):
    """Returns for each line and column the scopes that stand there."""
    scopes = {}
    element = parser.parse_string(text)

    def visit(node):
        for (line, column), content, names in node.flatten():
            for index in range(len(content)):
                scopes.setdefault((line, column + index), set()).update(names)

    if element is not None:
        visit(element)
    return scopes


def check(parser, path):
    """Returns what is wrong with the scopes of a file, and how many assertions it has."""
    lines = path.read_text(encoding="utf-8").split("\n")
    code, anchors, assertions = [], [], []
    for number, line in enumerate(lines):
        match = ASSERTION.match(line)
        if not match:
            code.append(line)
            anchors.append(number)
        elif match["first"]:
            assertions.append((len(code) - 1, [0], match["scope"], number))
        else:
            columns = range(match.start("carets"), match.end("carets"))
            assertions.append((len(code) - 1, columns, match["scope"], number))
    scopes = scopes_of(parser, "\n".join(code))
    failures = []
    for line, columns, scope, number in assertions:
        for column in columns:
            found = scopes.get((line, column), set())
            if not any(name.startswith(scope) for name in found):
                failures.append(
                    f"{path.name}:{number + 1}: column {column + 1} of '{code[line]}' is no {scope},"
                    f" but {sorted(found)}"
                )
                break
    return failures, len(assertions)


def main():
    # What the tokeniser skips is no news.
    logging.disable(logging.WARNING)
    grammar = json.loads((FOLDER.parent / "tenon.tmLanguage.json").read_text(encoding="utf-8"))
    parser = LanguageParser(grammar)
    failures, total = [], 0
    for path in sorted(FOLDER.glob("*.st")):
        found, count = check(parser, path)
        failures += found
        total += count
    for failure in failures:
        print(failure, file=sys.stderr)
    if total == 0:
        sys.exit("no assertions were found")
    print(f"{total - len(failures)} of {total} assertions about the highlighting hold")
    sys.exit(1 if failures else 0)


main()
