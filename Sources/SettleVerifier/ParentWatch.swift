import CSettleSystem

/// Ends this process as soon as the other end of its standard input is gone.
///
/// The kernel's parent-death signal is no good here: it follows the thread that started this
/// process, and the parent's worker threads come and go. Between files the main thread sees the
/// end of its input by itself; this thread sees it also in the middle of a document.
func watchParent() -> Bool {
  var information = stat()
  guard fstat(STDIN_FILENO, &information) == 0 else { return false }
  // A pipe hangs up while lines are still in it, so only a socket, as the pool uses, is watched.
  guard information.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK) else { return true }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 256 << 10)
  defer { pthread_attr_destroy(&attributes) }
  // The two platforms disagree on whether the handle is optional.
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  return pthread_create(&thread, &attributes, { _ in waitForHangUp() }, nil) == 0
}

private func waitForHangUp() -> Never {
  while true {
    var entry = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
    let count = poll(&entry, 1, -1)
    if count > 0 || (count < 0 && settle_errno() != EINTR) { _exit(0) }
  }
}
