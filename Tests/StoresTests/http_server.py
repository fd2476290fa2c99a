"""The peer of the tests of the HTTP store: a store behind HTTP, and servers that misbehave.

It prints the port it listens on and ends when its input does. With an argument, the file of a
certificate and its key, it talks TLS. Paths:
  /store/...  values with tags, conditions, listings and merge patches
  /bad/...    one way to misbehave each
"""

import gzip
import hashlib
import http.server
import json
import socket
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

lock = threading.Lock()
values = {}
types = {}
counts = {}


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


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def log_message(self, *arguments):
        pass

    def setup(self):
        super().setup()
        # Header and body in two packets would wait for each other.
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def answer(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)
        self.wfile.flush()

    def problem(self, status, kind, detail):
        body = json.dumps({"kind": kind, "detail": detail}).encode()
        self.answer(status, body, [("Content-Type", "application/problem+json")])

    def dispatch(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        target = urllib.parse.urlsplit(self.path)
        raw = target.path.split("/")[1:]
        isdir = raw[-1] == ""
        parts = tuple(urllib.parse.unquote(part) for part in raw if part != "")
        if parts[:1] == ("store",):
            with lock:
                self.store(parts[1:], isdir)
        elif parts[:1] == ("bad",):
            self.bad(parts[1], parts[2:], target)
        else:
            self.answer(404)

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = do_PATCH = dispatch

    # A store.

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
            fields = [("ETag", tag(values[path]))] if path in values else []
            return self.answer(status, b"", fields)
        getattr(self, "store_" + self.command.lower())(path, isdir)

    def store_get(self, path, isdir):
        listing = isdir or path == () or self.headers.get("Accept") == "application/json"
        if path in values and not listing:
            self.answer(200, values[path], [
                ("ETag", tag(values[path])), ("Content-Type", types[path])])
            return
        names = children(path)
        if path and not names:
            if path in values:
                return self.problem(409, "notADirectory", "it has nothing below it")
            return self.answer(404)
        body = json.dumps({"entries": [
            {"name": name, "kind": "directory" if names[name] else "resource"}
            for name in names]}).encode()
        self.answer(200, body, [("Content-Type", "application/vnd.tenon.listing+json")])

    store_head = store_get

    def store_put(self, path, isdir):
        if isdir or not path:
            return self.problem(409, "isADirectory", "it is a directory")
        status = 204 if path in values else 201
        values[path] = self.body
        types[path] = self.headers.get("Content-Type", "application/octet-stream")
        self.answer(status, b"", [("ETag", tag(self.body))])

    def store_delete(self, path, isdir):
        if path not in values:
            if not path or children(path):
                return self.problem(409, "notEmpty", "it is not empty")
            return self.answer(404)
        if isdir:
            return self.problem(409, "notADirectory", "it has nothing below it")
        del values[path]
        self.answer(204)

    def store_post(self, path, isdir):
        number = 1
        while path + (str(number),) in values:
            number += 1
        added = path + (str(number),)
        values[added] = self.body
        types[added] = self.headers.get("Content-Type", "application/octet-stream")
        location = "/store/" + "/".join(urllib.parse.quote(part, "") for part in added)
        self.answer(201, b"", [("Location", location)])

    def store_patch(self, path, isdir):
        if self.headers.get("Content-Type") != "application/merge-patch+json":
            return self.answer(415)
        old = json.loads(values[path]) if path in values else {}
        values[path] = json.dumps(merge(old, json.loads(self.body))).encode()
        types[path] = "application/json"
        self.answer(204)

    # Bad servers.

    def raw(self, text):
        self.wfile.write(text)
        self.wfile.flush()
        self.close_connection = True

    def bad(self, way, rest, target):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        if way == "status":
            fields = [("Retry-After", "7")] if rest[0] in ("429", "503") else []
            if rest[0] == "405":
                fields = [("Allow", "GET, HEAD")]
            self.answer(int(rest[0]), b"no", fields)
        elif way == "slow":
            self.raw(head + b"Content-Length: 10\r\n\r\nab")
            time.sleep(60)
        elif way == "silent":
            time.sleep(60)
        elif way == "huge":
            try:
                self.raw(head + b"\r\n")
                for _ in range(4096):
                    self.wfile.write(b"x" * 65536)
            except OSError:
                pass
        elif way == "bomb":
            body = gzip.compress(b"\0" * (8 << 20))
            self.answer(200, body, [("Content-Encoding", "gzip"), ("Content-Type", "text/plain")])
        elif way == "gzip":
            body = gzip.compress(b"packed " * 100)
            self.answer(200, body, [("Content-Encoding", "gzip"), ("Content-Type", "text/plain")])
        elif way == "gzip-damaged":
            body = gzip.compress(b"packed " * 100)[:-20] + b"garbage in the end.."
            self.answer(200, body, [("Content-Encoding", "gzip"), ("Content-Type", "text/plain")])
        elif way == "truncated":
            self.raw(head + b"Content-Length: 40\r\n\r\nonly a part")
        elif way == "chunks":
            self.raw(head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nno chunk\r\n")
        elif way == "chunks-cut":
            self.raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")
        elif way == "garbage":
            self.raw(b"\x00\x01\x02 this is no HTTP at all\r\n\r\n")
        elif way == "closed":
            self.close_connection = True
        elif way == "fields":
            self.raw(head + b"X-Long: " + b"y" * 1000000 + b"\r\n\r\n")
        elif way == "loop":
            self.answer(302, b"", [("Location", "/bad/loop")])
        elif way == "hops":
            left = int(rest[0])
            if left:
                self.answer(302, b"", [("Location", "%d" % (left - 1))])
            else:
                self.answer(200, b"there", [("Content-Type", "text/plain")])
        elif way == "elsewhere":
            place = urllib.parse.parse_qs(target.query)["to"][0]
            self.answer(307, b"", [("Location", place)])
        elif way == "latin":
            self.answer(200, b"caf\xe9", [("Content-Type", "text/plain; charset=ISO-8859-1")])
        elif way == "bytes":
            self.answer(200, b"\xff\xfe\x00", [("Content-Type", "image/png")])
        elif way == "untyped":
            self.answer(200, b"\xff\xfe\x00")
        elif way == "json":
            self.answer(200, b'{"a": [1, 2.5, null]}', [("Content-Type", "application/json; charset=utf-8")])
        elif way == "listing":
            self.answer(200, b'["b", "a", "d/", "..", "x/y", "", 7, "a"]', [("Content-Type", "application/json")])
        elif way == "pages":
            cursor = urllib.parse.parse_qs(target.query).get("cursor", ["0"])[0]
            page = {"entries": ["n" + cursor], "cursor": None if cursor == "2" else str(int(cursor) + 1)}
            self.answer(200, json.dumps(page).encode(), [("Content-Type", "application/json")])
        elif way == "endless":
            self.answer(200, b'{"entries": [], "cursor": "x"}', [("Content-Type", "application/json")])
        elif way == "count":
            with lock:
                counts[rest] = counts.get(rest, 0) + 1
                number = counts[rest]
            self.answer(200, str(number).encode(), [("Content-Type", "text/plain")])
        elif way == "echo":
            body = json.dumps({
                "method": self.command, "path": self.path,
                "fields": {name.lower(): value for name, value in self.headers.items()},
                "body": self.body.decode("latin-1"),
            }).encode()
            self.answer(200, body, [("Content-Type", "application/json")])
        else:
            self.answer(404)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
