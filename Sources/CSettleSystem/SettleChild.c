// Must come before any header of the C library, or it hides what only GNU declares.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CSettleSystem.h"

#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <crt_externs.h>
#include <mach-o/dyld.h>
#endif

char **settle_environment(void) {
#if defined(__APPLE__)
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

// Moves a descriptor above the three standard ones, so that a child's dup2 never meets it.
static int settle_raise_descriptor(int descriptor) {
  if (descriptor < 0 || descriptor > 2) { return descriptor; }
  int raised = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  int saved = errno;
  close(descriptor);
  errno = saved;
  return raised;
}

static int settle_raise_both(int ends[2]) {
  ends[0] = settle_raise_descriptor(ends[0]);
  ends[1] = settle_raise_descriptor(ends[1]);
  if (ends[0] >= 0 && ends[1] >= 0) { return 0; }
  int saved = errno;
  if (ends[0] >= 0) { close(ends[0]); }
  if (ends[1] >= 0) { close(ends[1]); }
  errno = saved;
  return -1;
}

int settle_child_pipe(int ends[2]) {
#if defined(__linux__)
  if (pipe2(ends, O_CLOEXEC) != 0) { return -1; }
#else
  if (pipe(ends) != 0) { return -1; }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  return settle_raise_both(ends);
}

int settle_child_sockets(int ends[2]) {
#if defined(__linux__)
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) { return -1; }
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) { return -1; }
  for (int i = 0; i < 2; i++) {
    int yes = 1;
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
  }
#endif
  return settle_raise_both(ends);
}

ssize_t settle_send_now(int descriptor, const void *bytes, size_t count) {
#if defined(__linux__)
  return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
#else
  return send(descriptor, bytes, count, MSG_DONTWAIT);
#endif
}

int settle_process_descriptor(pid_t process) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  (void)process;
  errno = ENOSYS;
  return -1;
#endif
}

int settle_child_has_ended(pid_t process) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  if (waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) != 0) { return -1; }
  return information.si_pid == process ? 1 : 0;
}

int settle_set_soft_limit(int resource, uint64_t soft) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) { return -1; }
  limit.rlim_cur = (rlim_t)soft < limit.rlim_max ? (rlim_t)soft : limit.rlim_max;
  return setrlimit(resource, &limit);
}

int settle_limit_stack(void) { return RLIMIT_STACK; }

ssize_t settle_executable_path(char *path, size_t capacity) {
#if defined(__APPLE__)
  uint32_t size = (uint32_t)capacity;
  return _NSGetExecutablePath(path, &size) == 0 ? (ssize_t)strlen(path) : -1;
#else
  return readlink("/proc/self/exe", path, capacity);
#endif
}

void settle_wait_briefly(pthread_cond_t *condition, pthread_mutex_t *mutex, int milliseconds) {
  struct timespec until;
#if defined(__APPLE__)
  until.tv_sec = milliseconds / 1000;
  until.tv_nsec = (milliseconds % 1000) * 1000000L;
  pthread_cond_timedwait_relative_np(condition, mutex, &until);
#else
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += (milliseconds % 1000) * 1000000L;
  if (until.tv_nsec >= 1000000000L) {
    until.tv_sec += 1;
    until.tv_nsec -= 1000000000L;
  }
  pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &until);
#endif
}

#if defined(__linux__)
int settle_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#endif
