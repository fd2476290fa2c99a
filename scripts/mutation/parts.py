"""The parts that the suites are run in, which changed places each reaches, and their runs."""

import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections import namedtuple
from pathlib import Path

from mutation.copy import COPY

# What is run at once: a filter of suites, and the paths of scripts, with commas between them.
Part = namedtuple("Part", "suite scripts")
# What a run without a change has told: processor time, and the numbers of the places it reached.
Reach = namedtuple("Reach", "seconds numbers")

SCRIPT_TEST = "ScriptTests/script"
# More scripts in a part are found out about sooner, and are chosen less exactly.
SCRIPTS_OF_A_PART = 6

# Marks what a run begins.
RUNS = itertools.count()


class Machine:
    """Runs parts of the suites of the copy."""

    def __init__(self, options):
        configuration = "release" if options.release else "debug"
        self.bundle = COPY / ".build" / configuration / "tenonPackageTests.xctest"
        self.limit = options.limit
        self.listed = None

    def parts(self, suite, area):
        """The parts of an entry of the table: some scripts of one folder, or one suite."""
        if suite == SCRIPT_TEST:
            root = COPY / "Tests/ScriptTests/Scripts"
            folders = {}
            for path in sorted(root.rglob("*.st")):
                name = str(path.relative_to(root))
                if area in name:
                    folders.setdefault(path.parent, []).append(name)
            return [
                Part(suite, ",".join(names[start:start + SCRIPTS_OF_A_PART]))
                for names in folders.values() for start in range(0, len(names), SCRIPTS_OF_A_PART)]
        if self.listed is None:
            self.listed = subprocess.run(
                [self.bundle, "--testing-library", "swift-testing", "--list-tests"], cwd=COPY, check=True,
                capture_output=True, text=True).stdout.splitlines()
        wanted = re.compile(suite)
        found = dict.fromkeys(test.split("/")[0] for test in self.listed if wanted.search(test))
        # A test that stands in no suite is a part of its own.
        return [Part(f"{re.escape(name)}{'' if name.endswith(')') else '/'}", "") for name in found]

    def key(self, part):
        """What a measured part is remembered by: of scripts the texts, else the build."""
        if part.suite == SCRIPT_TEST:
            root = COPY / "Tests/ScriptTests/Scripts"
            texts = b"".join((root / name).read_bytes() for name in part.scripts.split(","))
            return f"{part.scripts} {hashlib.sha256(texts).hexdigest()[:16]}"
        status = self.bundle.stat()
        return f"{part.suite} {status.st_size} {status.st_mtime_ns}"

    def measure(self, part):
        """What a part reaches without a change; None when it does not pass, twice."""
        file = COPY.parent / f"reached-{os.getpid()}-{next(RUNS)}.txt"
        # What else the machine does may be too much for it, once.
        for _ in range(2):
            passed, seconds = self.run(part, -1, self.limit, reached=file)
            numbers = sorted(set(map(int, file.read_text().split()))) if file.exists() else []
            file.unlink(missing_ok=True)
            if passed:
                return Reach(seconds, numbers)
        return None

    def run(self, part, number, limit, reached=None):
        """Whether a part passes with a mutant, and the processor time in seconds that it took.

        To take more than the limit of it counts as noticed, and so does to rest for five times as long: what
        else the machine does shall not decide."""
        command = [self.bundle, "--testing-library", "swift-testing", "--filter", part.suite]
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", TENON_MUTANT=str(number))
        if part.scripts:
            environment["SCRIPTS"] = part.scripts
        if reached:
            environment["TENON_MUTANT_REACHED"] = str(reached)
        # What a suite has begun ends with it, and a suite with its first failure.
        run_number = next(RUNS)
        environment["TENON_MUTANT_OF"] = f"{os.getpid()}.{run_number}"
        process = subprocess.Popen(
            command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, text=True, errors="replace")
        process.run = run_number
        ended = threading.Event()
        watch = threading.Thread(target=guard, args=[process, limit, ended])
        watch.start()
        passed = all("recorded an issue" not in line for line in process.stdout)
        if not passed:
            kill(process)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watch.join()
        kill(process)
        return passed and process.returncode == 0, usage.ru_utime + usage.ru_stime

    def trial(self, number, reach):
        """The part that notices a mutant, if one does; `reach` has the parts that reach it."""
        narrow_first = sorted(reach, key=lambda part: reach[part].seconds * (1 + len(reach[part].numbers)))
        scripts = [part for part in narrow_first if part.suite == SCRIPT_TEST]
        joined = []
        # The narrowest alone, then three times as many at once: to begin a run costs as much as a script.
        size = 2
        while scripts:
            joined.append(scripts[:size])
            scripts, size = scripts[size:], 3 * size
        joined += [[part] for part in narrow_first if part.suite != SCRIPT_TEST]
        for parts in joined:
            limit = min(self.limit, 10 + 4 * sum(reach[part].seconds for part in parts))
            part = Part(parts[0].suite, ",".join(part.scripts for part in parts))
            if not self.run(part, number, limit)[0]:
                return part
        return None


class Reaches:
    """What the parts reach, kept in a file for other runs with the same changes."""

    def __init__(self, path, stamp):
        self.path, self.stamp, self.lock = path, stamp, threading.Lock()
        self.kept = {}
        if path.exists():
            read = json.loads(path.read_text())
            if read["stamp"] == stamp:
                self.kept = read["parts"]

    def of(self, machine, part):
        key = machine.key(part)
        if key not in self.kept:
            reach = machine.measure(part)
            if reach is None:
                print(f"left out, as it fails without a change: {part.suite} {part.scripts}", flush=True)
                return None
            with self.lock:
                self.kept[key] = reach
                self.path.write_text(json.dumps({"stamp": self.stamp, "parts": self.kept}))
        return Reach(*self.kept[key])


def guard(process, limit, ended):
    """Ends a process that takes more processor time than the limit, or five times as long."""
    started = time.monotonic()
    while not ended.wait(1):
        if processor_time(process) > limit or time.monotonic() - started > 5 * limit:
            return kill(process)


def processor_time(process):
    """The seconds that a process and what has ended below it have computed; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def kill(process):
    """Ends a process with all that it has begun, also in groups of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    mark = f"\0TENON_MUTANT_OF={os.getpid()}.{process.run}\0".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in b"\0" + (entry / "environ").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue
