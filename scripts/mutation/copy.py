"""The copy of the package that has the changes, each behind its number."""

import hashlib
import re
import shutil
import subprocess
import sys

from pathlib import Path

from mutation.sites import ROOT, variants

COPY = (ROOT / ".build" / "mutants").resolve()

SWITCH = """import Foundation

private let activeMutant = ProcessInfo.processInfo.environment["TENON_MUTANT"].flatMap { Int($0) } ?? -1

/// The file that is told which changed lines are reached; none unless the environment asks for it.
nonisolated(unsafe) private let reachedFile: UnsafeMutablePointer<CChar>? =
  ProcessInfo.processInfo.environment["TENON_MUTANT_REACHED"].flatMap { strdup($0) }

/// A byte for each number that is set once the file has it; two threads may both tell it.
nonisolated(unsafe) private let isTold = calloc(1 << 16, 1)!.assumingMemoryBound(to: UInt8.self)

/// Whether a changed line is to be the changed one.
@inline(never) func isMutant(_ number: Int) -> Bool {
  if let file = reachedFile, number < 1 << 16, isTold[number] == 0 { tell(number, to: file) }
  return activeMutant == number
}

/// Appends the number in one call, so that a child between fork and exec and one that \
ends early tell it too.
@inline(never) private func tell(_ number: Int, to file: UnsafeMutablePointer<CChar>) {
  let before = errno
  isTold[number] = 1
  let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  if descriptor >= 0 {
    var digits: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (48, 48, 48, 48, 48, 10)
    withUnsafeMutableBytes(of: &digits) { bytes in
      var rest = number
      for index in stride(from: 4, through: 0, by: -1) {
        bytes[index] = UInt8(48 + rest % 10)
        rest /= 10
      }
      _ = Foundation.write(descriptor, bytes.baseAddress!, 6)
    }
    close(descriptor)
  }
  errno = before
}
"""

MODULES = [
    "Lexer", "Parser", "Analysis", "Diagrams", "Tables", "Numerics", "Text", "StoreKit", "SolverKit", "Runtime", "Solvers",
    "Stores", "Embedding", "REPL",
]


def write(chosen):
    """Writes the copy with these sites changed, each behind its number."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
        capture_output=True, text=True).stdout.split("\0")
    # What was there in an earlier copy and is gone would be built along.
    kept = {COPY / name for name in listed if name} | {
        COPY / "Sources" / module / "Mutant.swift" for module in MODULES}
    for folder in ["Sources", "Tests", "Plugins", "Benchmarks"]:
        for path in sorted((COPY / folder).rglob("*")):
            if path.is_file() and path not in kept:
                path.unlink()
    by_file = {}
    for number, (path, index, kind) in chosen.items():
        by_file.setdefault(path, {})[index] = (number, kind)
    for name in filter(None, listed):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        changes = by_file.get(Path(name))
        if not changes:
            if not target.exists() or target.read_bytes() != source.read_bytes():
                shutil.copy2(source, target)
            continue
        lines = source.read_text().split("\n")
        for index, (number, kind) in changes.items():
            lines[index] = dict(variants(lines[index], number))[kind]
        text = "\n".join(lines)
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    for module in MODULES:
        target = COPY / "Sources" / module / "Mutant.swift"
        if not target.exists() or target.read_text() != SWITCH:
            target.write_text(SWITCH)


def stamp(chosen):
    """What tells one copy from another: the sources, and what was changed in them."""
    digest = hashlib.sha256(repr(sorted(chosen.items())).encode())
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def crashing(output, chosen):
    """The changes in the functions at which the compiler itself has crashed."""
    found = set()
    for name, line in re.findall(r"\(at (\S+\.swift):(\d+):\d+", output):
        path = Path(name)
        path = path.relative_to(COPY) if path.is_absolute() else path
        below = [n for n, (p, index, _) in chosen.items() if p == path and 0 <= index + 1 - int(line) <= 60]
        found.update(sorted(below, key=lambda n: chosen[n][1])[:1])
    return found


def build(release, chosen, save):
    """Builds the copy; what the compiler does not take is left out of the chosen, told, and saved: another
    run need not find it again."""
    command = ["swift", "build", "--build-tests"]
    if release:
        # The optimization across modules crashes the compiler (6.3.1) on some changed copies.
        command += ["-c", "release", "-Xswiftc", "-enable-testing", "-Xswiftc", "-disable-cmo"]
    for _ in range(12):
        write(chosen)
        result = subprocess.run(command, cwd=COPY, capture_output=True, text=True)
        if result.returncode == 0:
            return
        output = result.stdout + result.stderr
        (COPY.parent / "mutants-build.log").write_text(output)
        bad = crashing(output, chosen)
        for name, line in re.findall(r"^(\S+\.swift):(\d+):\d+: error", output, re.M):
            path = Path(name)
            path = path.relative_to(COPY) if path.is_absolute() else path
            near = [n for n, (p, index, _) in chosen.items() if p == path and abs(index + 1 - int(line)) <= 3]
            above = [n for n, (p, index, _) in chosen.items() if p == path and index < int(line)]
            bad.update(near or above and [max(above, key=lambda n: chosen[n][1])])
        if not bad:
            errors = [line for line in output.splitlines() if "error" in line][:30]
            sys.exit("the copy does not build, see .build/mutants-build.log:\n" + "\n".join(errors))
        for number in bad:
            path, index, kind = chosen.pop(number)
            print(f"left out, as the compiler refuses it: {path}:{index + 1} {kind}", flush=True)
        save()
    sys.exit("the copy does not build")
