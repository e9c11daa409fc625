import CSettleSystem
import SettleCore
import SettleTerminal

/// Everything that the tool says: data on standard output, talk and progress on standard error.
final class Console: Sendable {
  let settings: Settings
  let output: OutputPipe
  let errors: OutputPipe
  let style: Style
  private let writer: TerminalWriter

  /// A console on two streams.
  init(settings: Settings, output: OutputPipe, errors: OutputPipe) {
    self.settings = settings
    self.output = output
    self.errors = errors
    style = Style(isColored: settings.colorsErrors)
    writer = TerminalWriter { errors.write($0) }
  }

  /// Columns of the terminal behind standard error; 80 when there is none.
  var columns: Int {
    let columns = Int(settle_terminal_columns(STDERR_FILENO))
    return columns > 0 ? columns : 80
  }

  /// A line of data, in text mode.
  func data(_ line: String) {
    if !settings.isJSON { output.write(line + "\n") }
  }

  /// A line of data, in JSON mode.
  func json(_ members: [(String, JSON)]) {
    if settings.isJSON { output.write(JSON.object(members).line + "\n") }
  }

  /// The last line of data, in JSON mode: nothing comes after it.
  func lastJSON(_ members: [(String, JSON)]) {
    if settings.isJSON { output.finish(with: JSON.object(members).line + "\n") }
  }

  /// Text that is the whole result, such as the manual: as it is, or as one JSON line.
  func document(_ name: String, _ text: String) {
    if settings.isJSON {
      json([("type", .text("text")), ("name", .text(name)), ("text", .text(text))])
    } else {
      output.write(text)
    }
  }

  /// A line for people, above a bar if there is one; silent with `--quiet` and `--json`.
  func talk(_ line: String) {
    if !settings.isQuiet, !settings.isJSON { urgent(line) }
  }

  /// A line for people that even `--quiet` and `--json` do not silence.
  func urgent(_ line: String) { writer.message(line, columns: columns) }

  /// Draws a frame in place.
  func draw(_ lines: [String]) { writer.draw(lines, columns: columns) }

  /// Takes the frame away.
  func clear() { writer.clear(columns: columns) }

  /// Reports a failed command: text on standard error, and the last JSON line.
  func fail(_ error: SettleError, _ status: ExitStatus) {
    clear()
    if settings.isJSON {
      json(Self.errorMembers(error, status))
    } else {
      urgent(style.bad("settle: ") + error.description)
    }
  }

  /// The members of a final error line.
  static func errorMembers(_ error: SettleError, _ status: ExitStatus) -> [(String, JSON)] {
    [
      ("type", .text("error")), ("code", .text(error.code.rawValue)),
      ("message", .text(error.message)), ("state_left", .text(error.stateLeft)),
      ("next", .text(error.nextStep)), ("exit_code", .int(Int64(status.rawValue))),
    ]
  }
}
