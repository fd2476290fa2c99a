"""The places that can be changed, and the variants that stand there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# A call alone on its line.
CALL = re.compile(r"^(\s*)((?:try )?(?:unsafe )?[a-z][\w.\[\]?]*\([^{}]*\))$")
CONDITION = re.compile(r"^(\s*(?:if|while|guard|\} else if) )([^{},]+?)( else)?( \{.*)$")
STEP = re.compile(r"(?<![\w.])([-+] )1(?![\w.])")
FUNCTION = re.compile(r"^(\s*)(?:[a-z]+ |@\w+ )*func [^{]*\)( throws(?:\(\w+\))?)? \{$")


def balanced(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]"))


def variants(line, number, is_alone=False):
    """What may stand in place of a line, by kind; `number` is what the switch is compared with.

    What stands alone between braces may be the value of what they enclose."""
    active = f"isMutant({number})"
    found = CONDITION.match(line)
    if found:
        condition = found.group(2)
        words = re.findall(r"\w+", condition)
        plain = not {"let", "var", "case", "try", "is", "as", "unsafe"} & set(words)
        if plain and "#" not in condition and balanced(condition):
            yield "negated condition", (
                f"{found.group(1)}{active} != ({condition}){found.group(3) or ''}{found.group(4)}")
    found = CALL.match(line)
    # A release build has no assertions, and hashing less changes only the time.
    left_out = r"\s*(?:(?:super|self)\.init|assert\(|hasher\.combine)"
    if found and not is_alone and balanced(line) and not re.match(left_out, line):
        yield "dropped call", f"{found.group(1)}if !{active} {{ {found.group(2)} }}"
    if STEP.search(line) and "func " not in line and "case" not in line and "let limit" not in line:
        yield "off by one", STEP.sub(rf"\1({active} ? 2 : 1)", line, count=1)
    found = FUNCTION.match(line)
    if found and "->" not in line:
        yield "ends at once", f"{line} if {active} {{ return }}"


def is_meant(path, folders):
    text = str(path.relative_to(ROOT))
    if folders:
        return any(text.startswith(folder) for folder in folders)
    return not re.match(r"Sources/(Solver|Runtime/(Connections|Graph)|C[A-Z])", text)


def sites(folders):
    """All places that could be changed: file, index of the line, kind."""
    found = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        if not is_meant(path, folders):
            continue
        text = path.read_text()
        # What other modules may inline cannot ask the switch of this one.
        if "@inlinable" in text or '"""' in text:
            continue
        lines = text.split("\n")
        for index, line in enumerate(lines):
            if line.lstrip().startswith("//"):
                continue
            around = [lines[index - 1].rstrip(), lines[min(index + 1, len(lines) - 1)].strip()]
            is_alone = around[0].endswith(("{", ":", " in")) and around[1].startswith(("}", "case ", "default:"))
            for kind, _ in variants(line, 0, is_alone):
                found.append((path.relative_to(ROOT), index, kind))
    return found
