import CSettleSystem

// Swift's runtime answers QUIT with a report and goes on; whoever presses Ctrl-\ wants the end.
if settle_signal_is_ignored(SIGQUIT) == 0 { _ = settle_restore_signal(SIGQUIT) }
StandardStreams.openAll()
guard StandardStreams.canOpenFiles else {
  OutputPipe(STDERR_FILENO).write(
    "settle: This process may open too few files. Nothing was changed. Raise the limit, see "
      + "ulimit -n.\n")
  exit(ExitStatus.unexpected.rawValue)
}
switch await Tool.run(commandLineBytes(), Surroundings.ofThisProcess()) {
case .exit(let status): exit(status.rawValue)
case .signal(let number): Interruptions.leave(by: number)
}
