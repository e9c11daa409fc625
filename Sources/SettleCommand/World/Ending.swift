/// How the process ends.
enum Ending: Sendable, Equatable {
  /// With an exit code.
  case exit(ExitStatus)
  /// By the signal that cancelled its work.
  case signal(Int32)
}
