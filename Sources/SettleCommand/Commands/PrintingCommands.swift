/// `settle completions SHELL`.
enum CompletionsCommand {
  static func run(_ context: Context) -> Ending {
    let shell = context.invocation.arguments.first.map { String(decoding: $0, as: UTF8.self) }
    guard let shell, let script = Completions.script(for: shell) else { return .exit(.usage) }
    context.console.document("completions", script)
    return .exit(.success)
  }
}

/// `settle man`.
enum ManCommand {
  static func run(_ context: Context) -> Ending {
    context.console.document("man", ManPage.text())
    return .exit(.success)
  }
}
