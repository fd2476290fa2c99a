internal import Tenon
internal import TenonRuntime

// Places whose changes are events.

extension EventSession {
  /// Sends an event with the value of a place, now and whenever it changes; the events have the `id` of this
  /// request.
  func watch(_ place: String) throws(ConsoleError) {
    guard let prompt else { return try end("failed") }
    let console = console
    let request = console.request
    let observer = interpreter.function("watch") { (text: String, className: String) in
      // A front end that is gone is found out by what is sent next.
      try? console.send(
        "change",
        [("place", .text(place)), ("class", .text(className)), ("text", .text(text))],
        of: request)
    }
    do throws(EvaluationError) {
      _ = try interpreter.send("watch:do:", to: prompt, interpreter.value(place), observer)
    } catch {
      return try tell(error)
    }
    try end("finished")
  }

  /// Sends no more events about a place.
  func unwatch(_ place: String) throws(ConsoleError) {
    guard let prompt else { return try end("failed") }
    let answer: Handle
    do throws(EvaluationError) {
      answer = try interpreter.send("unwatch:", to: prompt, interpreter.value(place))
    } catch {
      return try tell(error)
    }
    try end(answer.boolean == true ? "finished" : "failed")
  }
}
