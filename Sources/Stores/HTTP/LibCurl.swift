internal import CTenonPlatform

/// The functions of the system's libcurl, found when HTTP is first used.
///
/// Linking it, or Foundation's client, would make every start of every program wait for it.
@safe
struct LibCurl: @unchecked Sendable {
  typealias Handle = UnsafeMutableRawPointer
  typealias Polling =
    @convention(c) (Handle, Handle?, UInt32, Int32, UnsafeMutablePointer<Int32>?) -> Int32
  typealias Receiver =
    @convention(c) (
      UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
    ) -> Int

  let makeEasy: @convention(c) () -> Handle?
  let endEasy: @convention(c) (Handle) -> Void
  let reset: @convention(c) (Handle) -> Void
  let explain: @convention(c) (Int32) -> UnsafePointer<CChar>?
  let makeMulti: @convention(c) () -> Handle?
  let endMulti: @convention(c) (Handle) -> Int32
  let add: @convention(c) (Handle, Handle) -> Int32
  let remove: @convention(c) (Handle, Handle) -> Int32
  let perform: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Int32
  let poll: Polling
  let nextMessage: @convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Handle?
  let append: @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
  let pause: @convention(c) (Handle, Int32) -> Int32
  let freeList: @convention(c) (Handle?) -> Void
  /// What a connection without HTTP is used by.
  let raw: RawFunctions
  private let setOption: Handle
  private let getInfo: Handle

  /// The library of this system; nil when there is none that can be used.
  ///
  /// Its functions are the same for the whole process: nothing of this changes.
  static let system = LibCurl()

  private init?() {
    guard
      let library = DynamicLibrary([
        "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", "/usr/lib/libcurl.4.dylib",
      ]),
      let start = library.function(
        "curl_global_init", as: (@convention(c) (Int) -> Int32).self),
      let makeEasy = unsafe library.function(
        "curl_easy_init", as: (@convention(c) () -> Handle?).self),
      let endEasy = unsafe library.function(
        "curl_easy_cleanup", as: (@convention(c) (Handle) -> Void).self),
      let reset = unsafe library.function(
        "curl_easy_reset", as: (@convention(c) (Handle) -> Void).self),
      let explain = unsafe library.function(
        "curl_easy_strerror", as: (@convention(c) (Int32) -> UnsafePointer<CChar>?).self),
      let makeMulti = unsafe library.function(
        "curl_multi_init", as: (@convention(c) () -> Handle?).self),
      let endMulti = unsafe library.function(
        "curl_multi_cleanup", as: (@convention(c) (Handle) -> Int32).self),
      let add = unsafe library.function(
        "curl_multi_add_handle", as: (@convention(c) (Handle, Handle) -> Int32).self),
      let remove = unsafe library.function(
        "curl_multi_remove_handle", as: (@convention(c) (Handle, Handle) -> Int32).self),
      let perform = unsafe library.function(
        "curl_multi_perform",
        as: (@convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Int32).self),
      let poll = unsafe library.function("curl_multi_poll", as: Polling.self),
      let nextMessage = unsafe library.function(
        "curl_multi_info_read",
        as: (@convention(c) (Handle, UnsafeMutablePointer<Int32>) -> Handle?).self),
      let append = unsafe library.function(
        "curl_slist_append", as: (@convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?).self),
      let pause = unsafe library.function(
        "curl_easy_pause", as: (@convention(c) (Handle, Int32) -> Int32).self),
      let freeList = unsafe library.function(
        "curl_slist_free_all", as: (@convention(c) (Handle?) -> Void).self),
      let raw = RawFunctions(library),
      let setOption = unsafe library.address("curl_easy_setopt"),
      let getInfo = unsafe library.address("curl_easy_getinfo"),
      start(Start.everything) == 0
    else { return nil }
    unsafe self.makeEasy = unsafe makeEasy
    unsafe self.endEasy = unsafe endEasy
    unsafe self.reset = unsafe reset
    unsafe self.explain = unsafe explain
    unsafe self.makeMulti = unsafe makeMulti
    unsafe self.endMulti = unsafe endMulti
    unsafe self.add = unsafe add
    unsafe self.remove = unsafe remove
    unsafe self.perform = unsafe perform
    unsafe self.poll = unsafe poll
    unsafe self.nextMessage = unsafe nextMessage
    unsafe self.append = unsafe append
    unsafe self.pause = unsafe pause
    unsafe self.freeList = unsafe freeList
    self.raw = raw
    unsafe self.setOption = unsafe setOption
    unsafe self.getInfo = unsafe getInfo
  }

  /// The functions that send and receive bytes as they are.
  @safe
  struct RawFunctions: @unchecked Sendable {
    typealias Sending =
      @convention(c) (Handle, UnsafeRawPointer?, Int, UnsafeMutablePointer<Int>) -> Int32
    typealias Receiving =
      @convention(c) (Handle, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>) -> Int32

    let send: Sending
    let receive: Receiving

    fileprivate init?(_ library: DynamicLibrary) {
      guard let send = unsafe library.function("curl_easy_send", as: Sending.self),
        let receive = unsafe library.function("curl_easy_recv", as: Receiving.self)
      else { return nil }
      unsafe self.send = unsafe send
      unsafe self.receive = unsafe receive
    }
  }

  private enum Start {
    static let everything = 3
  }

  // MARK: Options

  /// The numbers of options, as the library's header has them.
  enum Option: Int32 {
    case writeData = 10001
    case url = 10002
    case proxy = 10004
    case userAgent = 10018
    case body = 10015
    case cookieFile = 10031
    case cookieLine = 10135
    case readData = 10009
    case header = 10023
    case headerData = 10029
    case method = 10036
    case noBody = 44
    case upload = 46
    case proxyTunnel = 61
    case verifyPeer = 64
    case isGet = 80
    case verifyHost = 81
    case httpVersion = 84
    case noSignal = 99
    case certificates = 10065
    case acceptEncoding = 10102
    case connectsOnly = 141
    case timeout = 155
    case protocols = 181
    case pathAsIs = 234
    case writeFunction = 20011
    case readFunction = 20012
    case headerFunction = 20079
    case uploadSize = 30115
    case bodySize = 30120
  }

  enum Info: Int32 {
    case status = 0x200002
    case systemError = 0x200019
    case socket = 0x20001D
    case cookies = 0x40001C
  }

  func set(_ handle: Handle, _ option: Option, _ value: Int) {
    _ = unsafe tenon_curl_set_long(setOption, handle, option.rawValue, value)
  }

  func set(_ handle: Handle, size option: Option, _ value: Int) {
    _ = unsafe tenon_curl_set_size(setOption, handle, option.rawValue, Int64(value))
  }

  /// Sets a text, which the library copies.
  func set(_ handle: Handle, _ option: Option, _ value: String) {
    unsafe value.withCString {
      _ = unsafe tenon_curl_set_pointer(setOption, handle, option.rawValue, $0)
    }
  }

  /// Sets an address, which the library does not copy.
  func set(_ handle: Handle, _ option: Option, _ value: UnsafeRawPointer?) {
    _ = unsafe tenon_curl_set_pointer(setOption, handle, option.rawValue, value)
  }

  func set(_ handle: Handle, _ option: Option, _ receiver: Receiver) {
    _ = unsafe tenon_curl_set_callback(setOption, handle, option.rawValue, receiver)
  }

  func info(_ handle: Handle, _ info: Info) -> Int {
    var value = 0
    return unsafe tenon_curl_get_long(getInfo, handle, info.rawValue, &value) == 0 ? value : 0
  }

  /// The lines of a list that the library gives, which is freed.
  func lines(_ handle: Handle, _ info: Info) -> [String] {
    var list: Handle?
    guard unsafe tenon_curl_get_pointer(getInfo, handle, info.rawValue, &list) == 0 else {
      return []
    }
    defer { unsafe freeList(list) }
    var lines: [String] = []
    while let item = unsafe list {
      if let text = unsafe tenon_curl_list_text(item) { unsafe lines.append(String(cString: text)) }
      unsafe list = tenon_curl_list_next(item)
    }
    return lines
  }

  /// What the library calls an error.
  func text(of code: Int32) -> String {
    guard let text = unsafe explain(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
