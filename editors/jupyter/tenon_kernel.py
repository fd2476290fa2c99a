"""A Jupyter kernel for Tenon, over `tenon --json`: docs/jupyter.md, docs/protocol.md.

`tenon jupyter install` writes this file and its kernel.json to where Jupyter looks for kernels. One
`tenon` is the session of one kernel: variables and connections live from cell to cell, and timers,
watched files and connections go on between them. The environment's TENON is the command to start.

Without ipykernel the file can be imported all the same: `Notebook` needs nothing of Jupyter.
"""

import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading

try:
    from ipykernel.kernelbase import Kernel
except ImportError:
    Kernel = object

__version__ = "0.1.0"

# The version of the protocol that is spoken here.
PROTOCOL = 1


def end_with_parent():
    """Has the process end with the kernel, which may be killed while it is busy (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class SessionEnded(Exception):
    """The child has ended, or is none: the text says how."""


class Session:
    """A running `tenon --json`.

    `idle` is called with a stream's name and a text for what is printed between requests, on a thread
    of the session's own.
    """

    def __init__(self, command, idle):
        self.idle = idle
        self.events = queue.Queue()
        # The event that was taken when it was seen that it does not belong to the one before.
        self.held = []
        self.number = 0
        self.lock = threading.Lock()
        try:
            # A session of its own: an interrupt reaches it when it is sent on, and then once.
            self.child = subprocess.Popen(
                [command, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True, preexec_fn=end_with_parent)
        except OSError as error:
            raise SessionEnded("cannot start '%s': %s" % (command, error.strerror)) from error
        threading.Thread(target=self._read, daemon=True).start()
        hello = self.events.get()
        if hello is None:
            raise SessionEnded(self.how_it_ended())
        if hello.get("protocol") != PROTOCOL:
            self.end()
            raise SessionEnded("'%s' speaks protocol %s, this kernel %d: run '%s jupyter install'" % (
                command, hello.get("protocol"), PROTOCOL, command))

    def _read(self):
        for line in self.child.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event.get("id") is None and event.get("is") == "output":
                self.idle(event["stream"], event["text"])
            else:
                self.events.put(event)
        self.events.put(None)

    def ask(self, do, text="", observe=lambda event: None, **members):
        """Sends a request and returns the status of its end; the events before go to `observe`.

        Raises SessionEnded when there is no end.
        """
        with self.lock:
            return self._ask(do, text, observe, members)

    def _ask(self, do, text, observe, members):
        self.number += 1
        # Halves of pairs that stand alone are no text in UTF-8.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        request = dict(members, id=self.number, do=do, text=text)
        try:
            self.child.stdin.write(json.dumps(request).encode() + b"\n")
            self.child.stdin.flush()
        except OSError as error:
            raise SessionEnded(self.how_it_ended()) from error
        interrupts = 0

        def interrupt(*_):
            nonlocal interrupts
            interrupts += 1
            self.child.send_signal(signal.SIGINT)

        # Signals are the main thread's; elsewhere nothing but questions is asked.
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, interrupt) if is_main else None
        try:
            status = self._await(observe)
        finally:
            if is_main:
                signal.signal(signal.SIGINT, before)
        if interrupts and status != "exited":
            # An interrupt that came when all was done is not to stop what is asked next.
            self._ask("isComplete", "", lambda event: None, {})
        return status

    def _next(self):
        """The next event, None at the end; lines that have come on a stream meanwhile are one event."""
        event = self.held.pop() if self.held else self.events.get()
        while event and event["is"] == "output" and len(event["text"]) < 1 << 16:
            try:
                following = self.events.get_nowait()
            except queue.Empty:
                break
            if not following or any(following.get(key) != event[key] for key in ("id", "is", "stream")):
                self.held.append(following)
                break
            event["text"] += following["text"]
        return event

    def _await(self, observe):
        while True:
            event = self._next()
            if event is None:
                raise SessionEnded(self.how_it_ended())
            # What is no JSON is refused without a number.
            if event.get("id") != self.number and event["is"] != "refused":
                continue
            if event["is"] == "done":
                return event["status"]
            if event["is"] == "refused":
                text = event["message"]
                observe({"is": "error", "class": "Error", "message": text, "text": text})
                return "failed"
            observe(event)

    def how_it_ended(self):
        """The end of the child in words, which is awaited."""
        status = self.exit_status()
        if status < 0:
            return "the session was ended by signal %d" % -status
        return "the session has ended with status %d" % status

    def exit_status(self):
        """The status of the child's end, which is awaited; negative of a signal's number."""
        self._close()
        return self.child.wait()

    def _close(self):
        try:
            self.child.stdin.close()
        except OSError:
            pass

    def end(self):
        """Ends the child: at once, when it does not do so itself."""
        self._close()
        try:
            self.child.wait(2)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


class Notebook:
    """The cells of a notebook: what Jupyter asks and what a session answers.

    `publish` is called with the type and the content of each message for the front ends.
    """

    # A line of a cell that is a command of the prompt, where a statement may begin.
    COMMAND = re.compile(r":[A-Za-z]")

    def __init__(self, publish, idle=None, command=None):
        self.publish = publish
        self.idle = idle or self._stream
        self.command = command or os.environ.get("TENON") or "tenon"
        self.session = None

    def _stream(self, name, text):
        self.publish("stream", {"name": name, "text": text})

    def _session(self):
        if self.session is None:
            self.session = Session(self.command, self.idle)
        return self.session

    def end(self):
        """Ends the session: the next cell begins another one."""
        if self.session is not None:
            self.session.end()
            self.session = None

    # Cells

    def execute(self, code, count, silent=False):
        """Runs a cell and returns the content of the reply."""
        try:
            session = self._session()
            for do, text in self._parts(code):
                reply = self._run(session, do, text, count, silent)
                if reply["status"] == "error":
                    return reply
        except SessionEnded as end:
            self.session = None
            return self._fail("SessionEnded", str(end), [str(end)])
        return {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}

    def _parts(self, code):
        """Splits a cell into statements and commands, which have lines of their own."""
        statements = []
        for number, line in enumerate(code.split("\n")):
            if self.COMMAND.match(line) and self._is_complete("\n".join(statements)):
                if "".join(statements).strip():
                    yield "evaluate", "\n".join(statements)
                # The lines before keep their number.
                statements = [""] * (number + 1)
                yield ("diagram", "") if line.strip() == ":diagram" else ("command", line.strip())
            else:
                statements.append(line)
        if "".join(statements).strip():
            yield "evaluate", "\n".join(statements)

    def _is_complete(self, text):
        return not text.strip() or self._session().ask("isComplete", text) == "complete"

    def _run(self, session, do, text, count, silent):
        errors = []

        def observe(event):
            kind = event["is"]
            if kind == "error":
                errors.append(event)
            elif kind == "output":
                self._stream(event["stream"], event["text"])
            elif kind == "warning":
                self._stream("stderr", event["text"].rstrip("\n") + "\n")
            elif kind == "text":
                self._stream("stdout", event["text"].rstrip("\n") + "\n")
            elif kind == "value" and not silent:
                self.publish("execute_result", {
                    "execution_count": count, "data": data(event), "metadata": {}})
            elif kind == "picture" and not silent:
                picture = {event["type"]: event["text"]}
                self.publish("display_data", {"data": picture, "metadata": {}})

        status = session.ask(do, text, observe, name="<cell %s>" % count)
        if status == "finished":
            return {"status": "ok"}
        if status == "exited":
            return self._exit(session)
        if status == "interrupted":
            text = "the cell was interrupted"
            return self._fail("Interrupted", text, [text])
        if not errors:
            return self._fail("Error", status, [status])
        lines = [line for error in errors for line in error["text"].rstrip("\n").split("\n")]
        return self._fail(errors[0]["class"], place(errors[0]) + errors[0]["message"], lines)

    def _exit(self, session):
        status = session.exit_status()
        self.session = None
        end = "the session has ended with status %d; the next cell begins a new one" % status
        if status != 0:
            return self._fail("Exit", end, [end])
        self._stream("stderr", end + "\n")
        return {"status": "ok"}

    def _fail(self, name, value, traceback):
        error = {"ename": name, "evalue": value, "traceback": traceback}
        self.publish("error", error)
        return dict(error, status="error", execution_count=None)

    # Questions

    def complete(self, code, cursor):
        """What the text before the cursor may go on with."""
        text = code[:cursor]
        found = {"insertion": "", "candidates": []}
        try:
            # A command begins its line; everything else may go on for several.
            line = text.rpartition("\n")[2]
            asked = line if self.COMMAND.match(line) else text
            self._session().ask("complete", asked, lambda event: found.update(event))
        except SessionEnded:
            self.session = None
        words = []
        for label in found["candidates"]:
            # 'inject: start into: aBlock' begins with its word; names of files may have blanks.
            word = label.split(" ")[0] if ": " in label else label
            if word not in words:
                words.append(word)
        length = max((n for n in range(min(len(text), 200) + 1)
                      if all(word.startswith(text[len(text) - n:]) for word in words)), default=0)
        start = len(text) - length if words else cursor
        if len(words) == 1:
            words = [text[start:] + found["insertion"].rstrip(" ")]
        return {
            "status": "ok", "matches": words, "cursor_start": start, "cursor_end": cursor,
            "metadata": {}}

    def is_complete(self, code):
        """Whether Enter runs a text."""
        try:
            if self.COMMAND.match(code) or self._is_complete(code):
                return {"status": "complete"}
            return {"status": "incomplete", "indent": "  "}
        except SessionEnded:
            self.session = None
            return {"status": "unknown"}

    def inspect(self, code, cursor):
        """What the name at the cursor is for: a class, a message, the class of a variable's value."""
        for name in names_at(code, cursor):
            texts = []
            try:
                self._session().ask("describe", name, lambda event: texts.append(event["text"])
                                    if event["is"] == "text" else None)
            except SessionEnded:
                self.session = None
                break
            if texts:
                found = {"text/plain": texts[0]}
                return {"status": "ok", "found": True, "data": found, "metadata": {}}
        return {"status": "ok", "found": False, "data": {}, "metadata": {}}


def data(event):
    """A value by media types."""
    types = {"text": "text/plain", "html": "text/html", "svg": "image/svg+xml"}
    return {types[key]: event[key] for key in types if key in event}


def place(event):
    """The place of an error as a message begins with it; empty where it has none."""
    if "line" not in event:
        return ""
    return "%s:%d:%d: " % (event["source"], event["line"], event["column"])


WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:>>[A-Za-z0-9_:]+)?")


# Texts, keywords, other words, and single characters.
TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | ([A-Za-z_]\w*:)(?!=) | \w+ | .""", re.S | re.X)


def names_at(code, cursor):
    """What the word at a cursor may mean, the likeliest first.

    A keyword is a message of the keywords that follow it in its statement.
    """
    for match in WORD.finditer(code):
        if match.start() <= cursor <= match.end() + (code[match.end():match.end() + 1] == ":"):
            word = match.group()
            after = code[match.end():match.end() + 2]
            if after[:1] != ":" or after == ":=":
                return [word]
            keywords = keywords_from(code, match.start())
            return ["".join(keywords[:n]) for n in range(len(keywords), 0, -1)] + [word]
    return []


def keywords_from(code, start):
    """The keywords from a place to the end of the expression, those in brackets left out."""
    depth = 0
    keywords = []
    for match in TOKEN.finditer(code, start):
        text = match.group()
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and text in ".;|":
            break
        elif depth == 0 and match.group(1):
            keywords.append(text)
    return keywords


class TenonKernel(Kernel):
    """The kernel as ipykernel runs it."""

    implementation = "tenon"
    implementation_version = __version__
    banner = "Tenon: Smalltalk's messages, and connections that hold"
    language_info = {
        "name": "tenon", "version": __version__, "mimetype": "text/x-tenon", "file_extension": ".st",
        "pygments_lexer": "smalltalk", "codemirror_mode": "smalltalk",
    }

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.notebook = Notebook(self._publish, self._publish_between)
        # The request that asked last: what is printed later is shown with its cell.
        self.last_parent = {}

    def _publish(self, kind, content):
        self.send_response(self.iopub_socket, kind, content)

    def _publish_between(self, stream, text):
        self.session.send(
            self.iopub_socket, "stream", {"name": stream, "text": text}, parent=self.last_parent)

    async def do_execute(
            self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        self.last_parent = self.get_parent()
        return self.notebook.execute(code, self.execution_count, silent)

    async def do_complete(self, code, cursor_pos):
        return self.notebook.complete(code, cursor_pos)

    async def do_is_complete(self, code):
        return self.notebook.is_complete(code)

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        return self.notebook.inspect(code, cursor_pos)

    async def do_shutdown(self, restart):
        self.notebook.end()
        return {"status": "ok", "restart": restart}


def main():
    if Kernel is object:
        sys.exit("the Tenon kernel needs ipykernel: %s -m pip install ipykernel" % sys.executable)
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=TenonKernel)


if __name__ == "__main__":
    main()
