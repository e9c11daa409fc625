import SettleFiles
import Testing

@testable import SettleCommand

@Suite struct SettingsTests {
  func settings(_ line: String, _ variables: [String: String] = [:], terminal: Bool = true)
    throws -> Settings
  {
    var around = Surroundings()
    around.variables = variables.mapValues(bytes)
    around.isInputTerminal = terminal
    around.isOutputTerminal = terminal
    around.isErrorTerminal = terminal
    return Settings(try Parser.parse(words(line)), around)
  }

  // OBS-2
  @Test func colourFollowsOptionThenVariablesThenTerminal() throws {
    let term = ["TERM": "xterm"]
    func colors(_ line: String, _ more: [String: String] = [:], terminal: Bool = true) throws
      -> Bool
    {
      let variables = term.merging(more) { $1 }
      return try settings(line, variables, terminal: terminal).colorsOutput
    }
    #expect(try colors("ls"))
    #expect(try !colors("ls", terminal: false))
    #expect(try !colors("ls", ["NO_COLOR": "1"]))
    #expect(try colors("ls", ["NO_COLOR": ""]))
    #expect(try !colors("ls", ["TERM": "dumb"]))
    #expect(try colors("ls", ["CLICOLOR_FORCE": "1"], terminal: false))
    #expect(try !colors("ls", ["CLICOLOR_FORCE": "0"], terminal: false))
    #expect(try !colors("ls", ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
    #expect(try colors("ls --color always", ["NO_COLOR": "1"], terminal: false))
    #expect(try !colors("ls --color=never", ["CLICOLOR_FORCE": "1"]))
  }

  // OBS-2
  @Test func theBarNeedsATerminalThatIsNotDumb() throws {
    let term = ["TERM": "xterm"]
    #expect(try settings("import a", term).progress == .bar)
    #expect(try settings("import a", term, terminal: false).progress == .plain)
    #expect(try settings("import a", ["TERM": "dumb"]).progress == .plain)
    #expect(try settings("import a").progress == .plain)
    #expect(try settings("import --progress bar a", term, terminal: false).progress == .plain)
    #expect(try settings("import --progress plain a", term).progress == .plain)
    #expect(try settings("import --progress none a", term).progress == .none)
    #expect(try settings("import -q a", term).progress == .none)
    #expect(try settings("import --json a", term).progress == .none)
    #expect(try settings("import --json --progress bar a", term).progress == .bar)
  }

  // IMP-14
  @Test func theLibraryIsNamedByOptionThenVariableThenDefault() throws {
    let variables = ["SETTLE_LIBRARY": "/v", "HOME": "/home/me", "XDG_DATA_HOME": "/data"]
    #expect(try settings("ls --library /o", variables).library == "/o")
    #expect(try settings("ls", variables).library == "/v")
    let unnamed = ["SETTLE_LIBRARY": "", "HOME": "/home/me", "XDG_DATA_HOME": "/data"]
    #if os(macOS)
      // Apple's place for an app's data.
      let expected: BytePath = "/home/me/Library/Application Support/Settle/Library"
      #expect(try settings("ls", unnamed).library == expected)
    #else
      #expect(try settings("ls", unnamed).library == "/data/settle/library")
      let home: BytePath = "/home/me/.local/share/settle/library"
      #expect(try settings("ls", ["HOME": "/home/me"]).library == home)
      let relative = ["HOME": "/home/me", "XDG_DATA_HOME": "data"]
      #expect(try settings("ls", relative).library == home)
    #endif
    #expect(try settings("ls").library == nil)
  }

  // RUN-8
  @Test func questionsNeedATerminalAndPermission() throws {
    #expect(try settings("rm \(idText)").canAsk)
    #expect(try !settings("rm --no-input \(idText)").canAsk)
    #expect(try !settings("rm \(idText)", terminal: false).canAsk)
  }
}
