// A loop as games have one, whose rules may be edited while it runs: `swift run game SCRIPT`.
//
// Each line of the input is a frame, so that it can be played without a screen. Before a frame the program
// looks whether the script has changed, and takes it up: balls and score go on from where they are.
import Foundation
import Tenon

final class Game {
  private let interpreter: Interpreter
  private let file: String
  private var text = ""
  /// The script itself, which understands `frame`.
  private let script: Handle

  init(file: String) throws {
    self.file = file
    var options = Interpreter.Options()
    options.stepLimit = 1_000_000
    interpreter = Interpreter(options)
    script = try interpreter.evaluate("self")
  }

  /// Takes up the script if somebody has edited it, and says what came of that.
  func takeUpChanges() {
    guard let now = try? String(contentsOfFile: file, encoding: .utf8), now != text else { return }
    text = now
    do {
      let report = try interpreter.reload(now, name: file)
      if !report.isFirst { print(report) }
    } catch {
      // The game goes on with the rules that it has.
      print(error)
    }
  }

  func playFrame() {
    takeUpChanges()
    do {
      print(try script.send("frame", as: String.self))
    } catch {
      print(error)
    }
  }
}

guard CommandLine.arguments.count > 1 else {
  print("usage: game SCRIPT")
  exit(2)
}
let game = try Game(file: CommandLine.arguments[1])
while readLine() != nil {
  game.playFrame()
  fflush(nil)
}
