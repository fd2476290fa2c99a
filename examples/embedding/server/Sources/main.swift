// A server of HTTP whose routes are the scheme of a script: `swift run server SCRIPT [PORT]`.
//
// The program knows sockets and HTTP, the script what stands at which path. A request is a verb of the
// scheme: GET reads a place, PUT replaces it, POST adds to it, DELETE removes it.
import Tenon

#if canImport(Glibc)
  import Glibc
  let stream = Int32(SOCK_STREAM.rawValue)
#else
  import Darwin
  let stream = SOCK_STREAM
#endif

struct Request { let method: String, path: [String], body: String }

struct Response { let status: String, body: String }

/// The script's scheme `site`, a program for each verb.
final class Site {
  private let interpreter: Interpreter
  private let programs: [String: Program]

  init(script: String, name: String) throws {
    var options = Interpreter.Options()
    options.stepLimit = 100_000
    options.memoryLimit = 64 << 20
    interpreter = Interpreter(options)
    _ = try interpreter.evaluate(script, name: name)
    let interpreter = interpreter
    programs = try [
      "GET": "site:{*path}", "PUT": "site:{*path} := body", "POST": "site:{*path} += body",
      "DELETE": "ref:site:{*path} delete",
    ].mapValues { try interpreter.compile($0, parameters: ["path", "body"]) }
  }

  func respond(to request: Request) -> Response {
    guard let program = programs[request.method] else {
      return Response(status: "501 Not Implemented", body: "no \(request.method) here\n")
    }
    do {
      let value = try program.run(request.path, request.body)
      guard request.method == "GET" else { return Response(status: "204 No Content", body: "") }
      guard let text = try value.send("displayString", as: String?.self), !value.isNil else {
        return Response(status: "404 Not Found", body: "nothing is there\n")
      }
      return Response(status: "200 OK", body: text + "\n")
    } catch EvaluationError.limit {
      return Response(status: "503 Service Unavailable", body: "that takes too long\n")
    } catch {
      let reason = error.scriptError?.message ?? "\(error)"
      return Response(status: "405 Method Not Allowed", body: reason + "\n")
    }
  }
}

// MARK: - HTTP

/// Reads a request; nil when it is none, or too large.
func readRequest(_ socket: Int32) -> Request? {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  func readMore() -> Bool {
    let count = recv(socket, &chunk, chunk.count, 0)
    guard count > 0, bytes.count < 1 << 20 else { return false }
    bytes += chunk.prefix(count)
    return true
  }
  while true {
    if let head = bytes.firstRange(of: [13, 10, 13, 10]) {
      let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(
        separator: "\r\n")
      let words = (lines.first ?? "").split(separator: " ")
      guard words.count == 3 else { return nil }
      let length = lines.lazy.compactMap { line -> Int? in
        guard line.lowercased().hasPrefix("content-length:") else { return nil }
        return Int(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " })
      }.first
      let wanted = length ?? 0
      guard (0...1 << 20).contains(wanted) else { return nil }
      while bytes.count - head.upperBound < wanted { guard readMore() else { return nil } }
      return Request(
        method: String(words[0]), path: words[1].split(separator: "/").map(String.init),
        body: String(decoding: bytes[head.upperBound...].prefix(wanted), as: UTF8.self))
    }
    guard readMore() else { return nil }
  }
}

func write(_ response: Response, to socket: Int32) {
  let head =
    "HTTP/1.1 \(response.status)\r\nContent-Type: text/plain; charset=utf-8\r\n"
    + "Content-Length: \(response.body.utf8.count)\r\nConnection: close\r\n\r\n"
  var bytes = Array((head + response.body).utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}

func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}

guard CommandLine.arguments.count > 1 else { fail("usage: server SCRIPT [PORT]") }
let file = CommandLine.arguments[1]
signal(SIGPIPE, SIG_IGN)
guard let input = fopen(file, "r") else { fail("cannot read '\(file)'") }
var text: [UInt8] = []
while case let byte = getc(input), byte != EOF { text.append(UInt8(byte)) }
fclose(input)
let site: Site
do {
  site = try Site(script: String(decoding: text, as: UTF8.self), name: file)
} catch {
  fail("\(error)")
}

let listener = socket(AF_INET, stream, 0)
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
// 0 is any port that is free.
let port = CommandLine.arguments.dropFirst(2).first.flatMap { UInt16($0) } ?? 0
address.sin_port = port.bigEndian
var size = socklen_t(MemoryLayout<sockaddr_in>.size)
let isBound = withUnsafeMutablePointer(to: &address) { pointer in
  pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
    bind(listener, general, size) == 0 && listen(listener, 16) == 0
      && getsockname(listener, general, &size) == 0
  }
}
guard isBound else { fail("cannot listen on port \(port)") }
print("listening on http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")
fflush(nil)
while true {
  let client = accept(listener, nil, nil)
  guard client >= 0 else { continue }
  // Who sends nothing is not waited for without end.
  var patience = timeval(tv_sec: 5, tv_usec: 0)
  setsockopt(
    client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  let answer = readRequest(client).map { site.respond(to: $0) }
  write(answer ?? Response(status: "400 Bad Request", body: "no request\n"), to: client)
  close(client)
}
