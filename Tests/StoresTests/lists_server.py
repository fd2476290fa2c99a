"""A backend for shared lists that goes wrong as often as it is told to, for the tests of clients.

Usage: lists_server.py [SEED [RATE]]. It prints the port it listens on and ends when its input does.
  /lists/...     values with tags, conditions, listings and merge patches
  /changes       server-sent events: the path of each change, with the number of the change as id
  /control/...   never goes wrong: PUT faults {"rate": 0.3, "kinds": [...], "limit": 100}, PUT down SECONDS,
                 PUT feeds (breaks them), GET report (counts), GET values, GET writes

What goes wrong is chosen by the seed among KINDS, for each request to /lists. A request that "reset-after",
"half" or "wrong-length" spoil has been carried out. A write that is carried out is logged with the client
that the field X-Client names, the client under test none, and whether it has a condition; nothing goes wrong for the client "other".
"""

import hashlib
import http.server
import json
import queue
import random
import socket
import socketserver
import struct
import sys
import threading
import time
import urllib.parse

KINDS = ["500", "503", "429", "reset-before", "reset-after", "half", "wrong-length", "slow", "down", "feed"]

lock = threading.RLock()
values = {}
writes = []
changes = []
feeds = []
counts = {}
faults = {"rate": 0.0, "kinds": KINDS, "limit": None, "slow": 2.0, "down": 3.0}
chance = random.Random(1)
down = {"until": 0.0}
open_connections = set()


def tag(body):
    return '"' + hashlib.sha256(body).hexdigest()[:32] + '"'


def children(path):
    names = {}
    for other in values:
        if len(other) > len(path) and other[: len(path)] == path:
            name = other[len(path)]
            names[name] = names.get(name, False) or len(other) > len(path) + 1
    return names


def merge(target, patch):
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge(target.get(key), value)
    return target


def note(kind):
    counts[kind] = counts.get(kind, 0) + 1


def changed(path, body, client, is_conditional):
    text = "/".join(urllib.parse.quote(part, "") for part in path)
    writes.append([client, text, None if body is None else body.decode(), is_conditional])
    changes.append(text)
    for each in feeds:
        each.put(len(changes))


def reset(connection):
    """Ends a connection so that the other side gets an error."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    except OSError:
        pass


def go_down(seconds):
    """Has nobody be there for a while: connections are reset, new ones refused."""
    with lock:
        down["until"] = max(down["until"], time.monotonic() + seconds)
        for each in list(open_connections):
            try:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        break_feeds()


def break_feeds():
    for each in feeds:
        each.put(None)
    feeds.clear()


class Gone(Exception):
    pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    spoiled = None

    def log_message(self, *arguments):
        pass

    def setup(self):
        super().setup()
        # Header and body in two packets would wait for each other.
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with lock:
            open_connections.add(self.connection)

    def finish(self):
        with lock:
            open_connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError, Gone):
            self.close_connection = True

    # Faults.

    def fault(self):
        if self.client() == "other":
            return None
        with lock:
            if not faults["kinds"] or chance.random() >= faults["rate"]:
                return None
            if faults["limit"] is not None:
                if faults["limit"] <= 0:
                    return None
                faults["limit"] -= 1
            kind = chance.choice(faults["kinds"])
            note(kind)
            if kind == "feed":
                break_feeds()
                return None
            if kind == "down":
                go_down(faults["down"] * chance.random())
            return kind

    def go_wrong(self, kind):
        """Goes wrong before the request is carried out; what is to go wrong after it is spoiled."""
        if kind in ("500", "503"):
            self.answer(int(kind), b"no")
        elif kind == "429":
            self.answer(429, b"slowly", [("Retry-After", "1")])
        elif kind in ("reset-before", "down"):
            reset(self.connection)
            raise Gone
        elif kind == "slow":
            time.sleep(faults["slow"] * (0.5 + chance.random() / 2))
            return False
        else:
            self.spoiled = kind
            return False
        return True

    def answer(self, status, body=b"", fields=()):
        spoiled, self.spoiled = self.spoiled, None
        if spoiled == "reset-after":
            reset(self.connection)
            raise Gone
        length = len(body)
        if spoiled == "wrong-length":
            # One too long is not known before the end, one too short leaves something behind.
            length = length + 7 if chance.random() < 0.5 or length < 4 else length - 3
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304) or spoiled == "wrong-length":
            self.send_header("Content-Length", str(length))
        if spoiled == "half":
            text = b"".join(self._headers_buffer)
            self._headers_buffer = [text[: len(text) // 2]] if not body else self._headers_buffer
            if not body:
                self.flush_headers()
                self.wfile.flush()
                self.close_connection = True
                return
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body[: len(body) // 2] if spoiled == "half" else body)
        self.wfile.flush()
        if spoiled:
            self.close_connection = True

    # Requests.

    def dispatch(self):
        if time.monotonic() < down["until"]:
            reset(self.connection)
            raise Gone
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        if len(self.body) < length:
            raise Gone
        target = urllib.parse.urlsplit(self.path)
        raw = target.path.split("/")[1:]
        isdir = raw[-1] == ""
        parts = tuple(urllib.parse.unquote(part) for part in raw if part != "")
        if parts[:1] == ("control",):
            return self.control(parts[1:])
        if parts == ("changes",):
            return self.feed()
        if parts[:1] != ("lists",):
            return self.answer(404)
        with lock:
            note("request")
        kind = self.fault()
        if kind and self.go_wrong(kind):
            return
        with lock:
            self.store(parts[1:], isdir)

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = do_PATCH = dispatch

    def control(self, parts):
        if parts == ("feeds",):
            with lock:
                break_feeds()
            return self.answer(204)
        if parts == ("down",):
            self.answer(204)
            return go_down(float(self.body))
        with lock:
            if parts == ("faults",):
                faults.update(json.loads(self.body))
                return self.answer(204)
            result = {
                ("report",): counts,
                ("values",): {"/".join(path): json.loads(body) for path, body in values.items()},
                ("writes",): writes,
            }.get(parts)
        if result is None:
            return self.answer(404)
        self.answer(200, json.dumps(result).encode(), [("Content-Type", "application/json")])

    def feed(self):
        inbox = queue.Queue()
        with lock:
            last = self.headers.get("Last-Event-ID")
            seen = int(last) if last and last.isdigit() else len(changes)
            feeds.append(inbox)
            inbox.put(len(changes))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"retry: 300\n\n")
        self.wfile.flush()
        self.close_connection = True
        while True:
            try:
                number = inbox.get(timeout=5)
            except queue.Empty:
                self.wfile.write(b": still there\n\n")
                self.wfile.flush()
                continue
            if number is None:
                # In the middle of a line.
                self.wfile.write(b"data: lost/in/the/mid")
                self.wfile.flush()
                return
            while seen < number:
                seen += 1
                self.wfile.write(f"id: {seen}\ndata: {changes[seen - 1]}\n\n".encode())
            self.wfile.flush()

    # The values.

    def refused(self, path):
        there = path in values
        if self.command != "PUT":
            there = there or bool(children(path)) or not path
        own = tag(values[path]) if path in values else None
        match = self.headers.get("If-Match")
        if match is not None and not (there if match == "*" else match == own):
            return 412
        differs = self.headers.get("If-None-Match")
        if differs is not None and (there if differs == "*" else differs == own):
            return 304 if self.command in ("GET", "HEAD") else 412
        return None

    def store(self, path, isdir):
        isdir = isdir and path != ()
        status = self.refused(path)
        if status:
            return self.answer(status, b"", [("ETag", tag(values[path]))] if path in values else [])
        getattr(self, "store_" + self.command.lower())(path, isdir)

    def store_get(self, path, isdir):
        listing = isdir or path == () or self.headers.get("Accept") == "application/json"
        if path in values and not listing:
            return self.answer(200, values[path], [
                ("ETag", tag(values[path])), ("Content-Type", "application/json")])
        names = children(path)
        if path and not names:
            return self.answer(404)
        body = json.dumps({"entries": [
            {"name": name, "kind": "directory" if names[name] else "resource"}
            for name in names]}).encode()
        self.answer(200, body, [("Content-Type", "application/vnd.tenon.listing+json")])

    store_head = store_get

    def client(self):
        return self.headers.get("X-Client") or ""

    def is_conditional(self):
        return "If-Match" in self.headers or "If-None-Match" in self.headers

    def store_put(self, path, isdir):
        if isdir or not path:
            return self.answer(409)
        try:
            json.loads(self.body)
        except ValueError:
            return self.answer(400)
        status = 204 if path in values else 201
        if values.get(path) != self.body:
            values[path] = self.body
            changed(path, self.body, self.client(), self.is_conditional())
        self.answer(status, b"", [("ETag", tag(self.body))])

    def store_delete(self, path, isdir):
        if path not in values:
            return self.answer(409 if children(path) else 404)
        del values[path]
        changed(path, None, self.client(), self.is_conditional())
        self.answer(204)

    def store_post(self, path, isdir):
        number = 1
        while path + (str(number),) in values:
            number += 1
        added = path + (str(number),)
        values[added] = self.body
        changed(added, self.body, self.client(), self.is_conditional())
        self.answer(201, b"", [("Location", "/lists/" + "/".join(urllib.parse.quote(part, "") for part in added))])

    def store_patch(self, path, isdir):
        old = json.loads(values[path]) if path in values else {}
        body = json.dumps(merge(old, json.loads(self.body))).encode()
        values[path] = body
        changed(path, body, self.client(), self.is_conditional())
        self.answer(204)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def verify_request(self, request, client_address):
        if time.monotonic() < down["until"]:
            reset(request)
            return False
        return True

    def handle_error(self, request, client_address):
        pass


if len(sys.argv) > 1:
    chance.seed(int(sys.argv[1]))
if len(sys.argv) > 2:
    faults["rate"] = float(sys.argv[2])
server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
