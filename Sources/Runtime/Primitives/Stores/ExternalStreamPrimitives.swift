internal import TenonStoreKit

// What streams of places outside do, which is in References.

extension Primitive {
  static let externalReadStream: [Primitive] = [
    Primitive("readLine", "The next line without its end; nil at the end.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readLine(withEnd: false)
    },
    Primitive("readWholeLine", "Private: the next line with its end; nil at the end.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readLine(withEnd: true)
    },
    Primitive(
      "basicReadFinishedLine",
      "Private: the next line that has an end, without it; nil when there is none yet."
    ) { machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readFinishedLine()
    },
    Primitive(
      "basicReadLines: count",
      "Private: the next lines with their ends, of about so many bytes; nil at the end."
    ) { machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readLines(bytes: arguments[0])
    },
    Primitive("readToEnd", "All that is left to read.") { machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readToEnd()
    },
    Primitive("basicReadAllBytes", "Private: all bytes that are left, as an array.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readAllBytes()
    },
    Primitive(
      "readBytes: count", "Private: the next bytes, as many as are there; nil at the end."
    ) { machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readBytes(atMost: arguments[0])
    },
    Primitive("readFull: count", "Private: the next bytes, so many unless there are fewer.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).readFull(arguments[0])
    },
    Primitive("unread: text", "Private: gives back text that was taken last, to be read again.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).unread(arguments[0])
    },
    Primitive("position", "How many bytes have been read; nil where they are decoded.") {
      machine, arguments throws(Failure) in
      let position = try ExternalStream(machine, arguments.receiver).source().reader.position
      return position.map { Value(small: $0) } ?? .nil
    },
    Primitive("moveTo: offset", "Private: goes on reading at an offset in bytes.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).move(to: arguments[0])
    },
    Primitive("size", "How many bytes there are, read or not; nil where that is not known.") {
      machine, arguments throws(Failure) in
      let size = try ExternalStream(machine, arguments.receiver).source().reader.source.size
      return size.map { Value(small: $0) } ?? .nil
    },
    Primitive(
      "isCurrent", "Whether the place still leads to what is read: a file may have been replaced."
    ) { machine, arguments throws(Failure) in
      Value(try ExternalStream(machine, arguments.receiver).source().reader.source.isCurrent)
    },
    Primitive("setEncoding: name", "Private: says how the text is encoded; false for no encoding.")
    { machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).setEncoding(ofSource: arguments[0])
    },
    Primitive("isClosed", "Whether it has been closed.") { machine, arguments throws(Failure) in
      Value(!ExternalStream(machine, arguments.receiver).isOpen)
    },
    Primitive("closeSource", "Private: gives back what reading uses.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).close()
    },
  ]

  static let externalWriteStream: [Primitive] = [
    Primitive("nextPutAll: aCollection", "Writes a text, or the bytes of a byte array.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).write(arguments[0])
    },
    Primitive("flush", "Sees to it that what was written has gone out.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).flush()
    },
    Primitive("setEncoding: name", "Private: says how texts are encoded; false for no encoding.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).setEncoding(ofSink: arguments[0])
    },
    Primitive("isClosed", "Whether it has been closed.") { machine, arguments throws(Failure) in
      Value(!ExternalStream(machine, arguments.receiver).isOpen)
    },
    Primitive("close", "Puts what was written where it belongs, and ends the stream.") {
      machine, arguments throws(Failure) in
      try ExternalStream(machine, arguments.receiver).close()
    },
    Primitive("cancel", "Ends the stream; what was to be replaced stays as it was.") {
      machine, arguments throws(Failure) in
      ExternalStream(machine, arguments.receiver).cancel()
    },
  ]
}
