import CSettleSystem
import SettleVerify

// settle-verify: the isolated parser process. The lines are described at `Wire`.

private func say(_ text: some Sequence<UInt8>) {
  let bytes = Array(text)
  var done = 0
  while done < bytes.count {
    let count = bytes.withUnsafeBytes {
      write(STDOUT_FILENO, $0.baseAddress! + done, bytes.count - done)
    }
    // Without a listener there is nobody to work for.
    if count < 0 && settle_errno() != EINTR { _exit(1) }
    done += max(count, 0)
  }
}

private func complain(_ text: String) -> Never {
  let line = Array("settle-verify: \(text)\n".utf8)
  // Nobody is left to tell when even this fails; the exit code stays.
  _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress!, $0.count) }
  _exit(2)
}

private func answer(_ line: [UInt8], _ examiner: Examiner) {
  guard let path = Wire.path(inRequest: line) else { complain("not a request") }
  say([Wire.begun])
  guard ProcessLimits.renewCPU() else { complain("cannot limit CPU time") }
  say(Array(examiner.examine(path: path).line.utf8) + [Wire.newline])
}

private func serve() -> Never {
  let examiner = Examiner()
  var pending: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 16_384)
  while true {
    while let end = pending.firstIndex(of: Wire.newline) {
      let line = Array(pending[..<end])
      pending.removeSubrange(...end)
      answer(line, examiner)
    }
    if pending.count > 1 << 20 { complain("a request is too long") }
    let count = read(STDIN_FILENO, &piece, piece.count)
    if count < 0 && settle_errno() == EINTR { continue }
    if count <= 0 { _exit(count == 0 ? 0 : 1) }
    pending += piece[..<count]
  }
}

if CommandLine.arguments.dropFirst().first == "--version" {
  say(Array(Wire.greeting(engine: PDFParser.engine).utf8) + [Wire.newline])
  _exit(0)
}
if CommandLine.arguments.count > 1 { complain("takes no arguments but --version") }
guard watchParent() else { complain("cannot watch standard input") }
if let name = ProcessLimits.set() { complain("cannot limit \(name)") }
say(Array(Wire.greeting(engine: PDFParser.engine).utf8) + [Wire.newline])
serve()
