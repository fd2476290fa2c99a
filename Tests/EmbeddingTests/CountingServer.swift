import Foundation
import Testing

/// Servers that write down who comes: one of HTTP with a secret, one of HTTPS with the same, and one that
/// sends on to the first.
final class CountingServer {
  private let process = Process()
  private let input = Pipe()
  private let log: URL
  /// Host and port of each.
  let plain: String
  let secure: String
  let bridge: String
  /// The certificate of the second one, which it has signed itself.
  static let certificate = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "StoresTests/localhost.pem").path

  static let program = """
    import http.server, socketserver, ssl, sys, threading
    log = open(sys.argv[1], 'a', buffering=1)
    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
        target = None
        def get_request(self):
            pair = super().get_request()
            if self.target is None:
                log.write('connection\\n')
            return pair
        def handle_error(self, request, address):
            pass
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *arguments):
            pass
        def reply(self, status, fields, body=b''):
            self.send_response(status)
            for name, value in fields:
                self.send_header(name, value)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            if self.command != 'HEAD':
                self.wfile.write(body)
        def dispatch(self):
            self.rfile.read(int(self.headers.get('Content-Length') or 0))
            if self.server.target:
                return self.reply(307, [('Location', self.server.target + self.path)])
            log.write(self.command + '\\n')
            if self.command not in ('GET', 'HEAD'):
                return self.reply(201, [('Location', '/secret/new')])
            if self.path == '/missing.txt':
                return self.reply(404, [])
            if self.path.endswith('/'):
                return self.reply(
                    200, [('Content-Type', 'application/vnd.tenon.listing+json')],
                    b'{"entries": [{"name": "wombat", "kind": "resource"}]}')
            self.reply(200, [('Content-Type', 'text/plain')], b'wombat')
        do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = do_PATCH = dispatch
    class Secure(Server):
        def finish_request(self, request, address):
            super().finish_request(context.wrap_socket(request, server_side=True), address)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    servers = [kind(('127.0.0.1', 0), Handler) for kind in (Server, Secure, Server)]
    servers[2].target = 'http://127.0.0.1:%d' % servers[0].server_port
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(*(server.server_port for server in servers), flush=True)
    sys.stdin.read()
    """

  /// Starts them; `python3` is needed.
  init(log: URL) throws {
    self.log = log
    try Data().write(to: log)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", CountingServer.program, log.path, CountingServer.certificate,
    ]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    let ports = String(decoding: line, as: UTF8.self).split(separator: " ")
    try #require(ports.count == 3, "the matrix of powers needs python3")
    (plain, secure, bridge) = (
      "127.0.0.1:\(ports[0])", "127.0.0.1:\(ports[1])", "127.0.0.1:\(ports[2])"
    )
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Who has come: all connections and requests, or the requests that are for more than reading.
  func visits(withReading: Bool) -> String {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n")
    let counted =
      withReading ? lines : lines.filter { !["connection", "GET", "HEAD"].contains($0) }
    return "\(counted.count)"
  }
}
