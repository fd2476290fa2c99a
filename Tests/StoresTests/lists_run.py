"""Runs examples/lists.st against lists_server.py with faults, and checks that no edit is lost and no tick missed.

Usage: lists_run.py TENON [--seconds N | --edits N] [--seed N] [--rate R] [--kills N] [--alone]

Somebody edits at the client, line by line, and somebody else at the server: each on lists of their own, and both on
a list that they share. A tick of 30 ms is counted in the client. The client is killed and started again. In the
end nothing goes wrong any more, and what the server, the model and the disk hold is compared:
  - each own list holds what was answered last, everywhere, perhaps beside copies of older values after a kill;
  - of the shared list, what one has written last is there, or in a copy beside it, or was seen by the
    other side before that replaced it; the client replaces nothing that it has not read.
A tick that is late by more than a period is missed. With --alone there is no server: what is missed then, the machine
has missed. With --bound no tick may come later than so many milliseconds after the one before; a server that is waited
for would show in seconds. All other times are told only.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "examples", "lists.st")

TICKS = """
// Put in by lists_run.py.
ticks := 0. gaps := Bag new. longest := 0. begun := Time monotonicNanoseconds. lastTick := begun.
[ | now gap |
  now := Time monotonicNanoseconds.
  gap := now - lastTick ~/ 1000000.
  lastTick := now.
  ticks := ticks + 1.
  longest := longest max: gap.
  gap > 60 ifTrue: [ gaps add: (gap > 1000 ifTrue: [ 1000 ] ifFalse: [ gap > 250 ifTrue: [ 250 ] ifFalse: [ gap > 120 ifTrue: [ 120 ] ifFalse: [ 60 ] ] ]) ]
] every: 30 milliseconds.
-tellTicks {
  stderr println: "ticks {ticks} {Time monotonicNanoseconds - begun ~/ 1000000} {longest} "
    , ((#(60, 120, 250, 1000) collect: [ :each | (gaps occurrencesOf: each) printString ]) joined: ' ')
}
[ self tellTicks ] every: 1 second.
ref:model:both watchBelow: [ :place | place value ifNotNil: [ :task | stderr println: 'seen ' , (task at: 'text') ] ].
-tellModel {
  | all |
  all := Dictionary new.
  (scheme:model) paths do: [ :each | all at: (each joined: '/') put: model:{*each} ].
  stderr println: 'model ' , (JSON write: all)
}
"""


class Server:
    def __init__(self, seed, rate):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "lists_server.py"), str(seed), str(rate)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = "http://127.0.0.1:" + self.process.stdout.readline().strip()

    def ask(self, method, path, value=None):
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(
            self.address + path, data, {"X-Client": "other", "Content-Type": "application/json"},
            method=method)
        for _ in range(600):
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    body = answer.read()
                    return json.loads(body) if body else None
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    return None
                raise
            except OSError:
                # It may be down at present.
                time.sleep(0.1)
        raise RuntimeError("the server does not answer")


class Client:
    def __init__(self, tenon, script, arguments):
        self.errors = []
        self.process = subprocess.Popen(
            [tenon, script] + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, bufsize=1)
        self.reader = threading.Thread(target=self.read_errors, daemon=True)
        self.reader.start()

    def read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.rstrip("\n"))

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        lines = []
        for line in self.process.stdout:
            if line == ".\n":
                return lines
            lines.append(line)
        raise RuntimeError("the client has ended: " + "\n".join(self.errors[-20:]))

    def tell(self, line):
        start = time.monotonic()
        self.send(line)
        self.answer()
        return time.monotonic() - start

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()

    def end(self):
        self.process.stdin.close()
        output = self.process.stdout.read()
        status = self.process.wait()
        self.reader.join()
        return status, output

    def last(self, word):
        found = [line for line in self.errors if line.startswith(word + " ")]
        return found[-1][len(word) + 1:] if found else None


class Run:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = tempfile.mkdtemp(prefix="lists")
        self.data = os.path.join(self.folder, "data")
        self.script = os.path.join(self.folder, "client.st")
        self.server = None if options.alone else Server(options.seed, 0)
        self.clients = []
        self.mine, self.others, self.wrote, self.maybe = {}, {}, {}, set()
        self.shared = {}
        self.edits = self.other_edits = self.kills = 0
        self.slowest = 0
        self.failures = []
        text = open(EXAMPLE).read()
        place = text.index("\n", text.index("scheme:known :=")) + 1
        end = text.rindex("connecting ifNotNil:")
        text = text[:place] + TICKS + text[place:end] + "self tellTicks; tellModel.\n" + text[end:]
        if options.alone:
            text += "Exit status: 0.\n"
        open(self.script, "w").write(text)

    def start(self):
        arguments = [self.data]
        if self.server:
            arguments += [self.server.address + "/lists", self.server.address + "/changes"]
        self.client = Client(self.options.tenon, self.script, arguments)
        self.clients.append(self.client)

    def tell(self, line):
        self.slowest = max(self.slowest, self.client.tell(line))

    def edit(self):
        """One edit at the client."""
        self.edits += 1
        if self.random.random() < 0.06 and self.server:
            name, text = f"t{self.random.randrange(2)}", f"c{self.edits}"
            self.tell("list both")
            self.tell(f"add {name}")
            self.tell(f"put {name} {text}")
            self.shared["both/" + name] = (text, self.shared.get("both/" + name, (None, None))[1])
            return
        path = f"c{self.random.randrange(3)}/t{self.random.randrange(6)}"
        chosen, name = path.split("/")
        self.tell("list " + chosen)
        old = self.mine.get(path)
        what = self.random.choice(["add", "put", "put", "put", "done", "drop"]) if old else "add"
        if what == "add":
            new = {"text": "", "isDone": False}
        elif what == "put":
            new = dict(old, text=f"c{self.edits}")
        elif what == "done":
            new = dict(old, isDone=True)
        else:
            new = None
        self.tell(f"{what} {name}" + (" " + new["text"] if what == "put" else ""))
        self.mine[path] = new

    def edit_elsewhere(self):
        """One edit at the server, by somebody else."""
        self.other_edits += 1
        text = f"o{self.other_edits}"
        if self.random.random() < 0.06:
            path = f"both/t{self.random.randrange(2)}"
            self.server.ask("PUT", "/lists/" + path, {"text": text, "isDone": False})
            self.shared[path] = (self.shared.get(path, (None, None))[0], text)
            return
        path = f"o{self.random.randrange(3)}/t{self.random.randrange(6)}"
        if self.others.get(path) and self.random.random() < 0.2:
            self.server.ask("DELETE", "/lists/" + path)
            self.others[path] = None
        else:
            self.others[path] = {"text": text, "isDone": self.random.random() < 0.5}
            self.server.ask("PUT", "/lists/" + path, self.others[path])

    def kill(self):
        self.kills += 1
        path = f"killed/t{self.kills}"
        self.maybe.add(path)
        self.tell("list killed")
        self.client.send(f"add t{self.kills}")
        time.sleep(self.random.random() * 0.02)
        self.client.kill()
        self.start()

    def work(self):
        options = self.options
        if self.server:
            self.server.ask("PUT", "/control/faults", {
                "rate": options.rate, "slow": options.slow, "down": options.down, "limit": options.faults})
        begun = time.monotonic()
        while (time.monotonic() - begun < options.seconds) if options.seconds else self.edits < options.edits:
            part = (time.monotonic() - begun) / options.seconds if options.seconds else self.edits / options.edits
            self.edit()
            if self.server and self.random.random() < 0.5:
                self.edit_elsewhere()
            if self.kills < options.kills and part > (self.kills + 1) / (options.kills + 1):
                self.kill()
            time.sleep(self.random.random() * options.pause)
        self.worked = time.monotonic() - begun

    def expect(self, holds, text):
        if not holds:
            self.failures.append(text)

    def expected(self):
        return {path: value for known in (self.mine, self.others) for path, value in known.items() if value}

    def own(self, values):
        # Who is killed before it has noted what was sent takes it for a change by somebody else.
        return {path: value for path, value in values.items() if path[0] in "co" and ".conflict-" not in path}

    def drain(self):
        """Nothing goes wrong any more: waits until all has been exchanged."""
        self.server.ask("PUT", "/control/faults", {"rate": 0})
        begun = time.monotonic()
        same = 0
        while time.monotonic() - begun < self.options.patience:
            values = self.server.ask("GET", "/control/values")
            same = same + 1 if self.own(values) == self.expected() and self.shows(values) else 0
            # The shared list has come to rest when it was the same for a while.
            if same >= self.options.rest:
                break
            time.sleep(0.1)
        self.drained = time.monotonic() - begun

    def shows(self, values):
        """Whether the interface shows in each list what the server has."""
        lists = {}
        for path, value in values.items():
            chosen, name = path.split("/")
            lists.setdefault(chosen, set()).add(f"{'x' if value['isDone'] else '-'} {name} {value['text']}")
        for chosen in [f"{who}{number}" for who in "co" for number in range(3)] + ["both"]:
            self.client.send("list " + chosen)
            if {line.rstrip("\n") for line in self.client.answer()} != lists.get(chosen, set()):
                return False
        return True

    def disk(self):
        script = os.path.join(self.folder, "disk.st")
        open(script, "w").write(
            "scheme:p := PersistentStore reading: arguments first.\n"
            "all := Dictionary new.\n"
            "(scheme:p) paths do: [ :each | all at: (each joined: '/') put: p:{*each} ].\n"
            "stdout println: (JSON write: all).\n")
        output = subprocess.run(
            [self.options.tenon, script, self.data + "/lists"], capture_output=True, text=True)
        return json.loads(output.stdout)

    def compare(self):
        values = self.server.ask("GET", "/control/values")
        status, output = self.client.end()
        self.expect(status == 0, f"the client ended with {status}: {output}")
        model, disk = json.loads(self.client.last("model") or "{}"), self.disk()
        self.expect(model == disk, f"model and disk differ: {difference(model, disk)}")
        self.expect(model == values, f"model and server differ: {difference(model, values)}")
        lost = difference(self.expected(), self.own(values))
        self.expect(not lost, f"lost: {lost}")
        for path in self.maybe:
            value = values.get(path)
            self.expect(value in (None, {"text": "", "isDone": False}), f"{path} is {value}")
        writes = self.server.ask("GET", "/control/writes")
        self.writes = writes
        seen = {line[5:] for client in self.clients for line in client.errors if line.startswith("seen ")}
        texts = {value["text"] for path, value in values.items() if path.startswith("both/")}
        sent = {json.loads(write[2])["text"] for write in writes if write[0] != "other" and write[2]}
        for path, (here, there) in self.shared.items():
            self.expect(here is None or here in texts or here in sent, f"{path}: {here} is lost")
            self.expect(there is None or there in texts or there in seen, f"{path}: {there} is lost")
        blind = [write[1] for write in writes if write[0] != "other" and not write[3]]
        self.expect(not blind, f"written whatever was there: {blind}")
        self.conflicts = sum(".conflict-" in path or "conflict" in path for path in values)

    def report(self):
        options = self.options
        print(f"seed {options.seed}: {self.worked:.0f} s, {self.edits} edits at the client, "
              f"{self.other_edits} at the server, {self.kills} times killed, slowest answer "
              f"{self.slowest * 1000:.0f} ms")
        if self.server:
            counts = self.server.ask("GET", "/control/report")
            requests = counts.pop("request", 0)
            print(f"  {requests} requests, {sum(counts.values())} faults: "
                  + ", ".join(f"{kind} {counts[kind]}" for kind in sorted(counts)))
            print(f"  drained after {self.drained:.1f} s; {self.conflicts} copies beside places")
        missed = due = 0
        for client in self.clients:
            ticks, elapsed, longest, *gaps = map(int, (client.last("ticks") or "0 0 0 0 0 0 0").split())
            print(f"  ticks {ticks} of {elapsed // 30} in {elapsed / 1000:.1f} s, longest gap {longest} ms; "
                  f"above 60 ms {gaps[0]}, 120 ms {gaps[1]}, 250 ms {gaps[2]}, 1 s {gaps[3]}")
            missed, due = missed + max(0, elapsed // 30 - ticks), due + elapsed // 30
            self.expect(not options.bound or longest < options.bound, f"a tick came after {longest} ms")
        print(f"  {missed} of {due} ticks missed")
        for each in self.failures:
            print("  FAILED " + each)
        print("  " + ("failed" if self.failures else "nothing lost"))

    def run(self):
        try:
            self.start()
            self.work()
            if self.server:
                self.drain()
                self.compare()
            else:
                self.client.end()
            self.report()
        finally:
            for client in self.clients:
                client.process.kill()
            if self.failures or self.options.keep:
                with open(os.path.join(self.folder, "errors"), "w") as file:
                    for client in self.clients:
                        file.write("\n".join(client.errors) + "\n== end\n")
                    file.writelines(json.dumps(write) + "\n" for write in getattr(self, "writes", []))
                print("  " + self.folder)
            else:
                shutil.rmtree(self.folder)
        return 1 if self.failures else 0


def difference(left, right):
    return {path: (left.get(path), right.get(path))
            for path in sorted(left.keys() | right.keys()) if left.get(path) != right.get(path)}


parser = argparse.ArgumentParser()
parser.add_argument("tenon")
parser.add_argument("--seconds", type=float)
parser.add_argument("--edits", type=int, default=40)
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--faults", type=int, default=None)
parser.add_argument("--slow", type=float, default=2)
parser.add_argument("--down", type=float, default=4)
parser.add_argument("--kills", type=int, default=1)
parser.add_argument("--pause", type=float, default=0.4)
parser.add_argument("--rest", type=int, default=10)
parser.add_argument("--patience", type=float, default=180)
parser.add_argument("--bound", type=int, default=0)
parser.add_argument("--alone", action="store_true")
parser.add_argument("--keep", action="store_true")
arguments = parser.parse_args()
if arguments.seed is None:
    arguments.seed = random.randrange(1 << 30)
sys.exit(Run(arguments).run())
