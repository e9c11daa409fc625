// The C library as the Swift targets see it: what Swift cannot import by itself (variadic calls,
// macros, calls that need _GNU_SOURCE), and nothing else. No policy lives here.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#elif defined(__APPLE__)
#include <sys/clonefile.h>
#include <sys/mount.h>
#include <sys/param.h>
#endif

static inline int settle_errno(void) { return errno; }
static inline void settle_set_errno(int value) { errno = value; }

static inline int settle_openat(int directory, const char *name, int flags, mode_t mode) {
  return openat(directory, name, flags | O_CLOEXEC, mode);
}

static inline int settle_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

// Renames without ever replacing. Returns -1 with ENOSYS or EINVAL where the file system cannot.
static inline int settle_rename_exclusive(
    int from, const char *old_name, int to, const char *new_name) {
#if defined(__linux__)
  return renameat2(from, old_name, to, new_name, RENAME_NOREPLACE);
#else
  return renameatx_np(from, old_name, to, new_name, RENAME_EXCL);
#endif
}

// Makes `to` share the blocks of `from`. Returns -1 where the file system cannot.
static inline int settle_clone(int from, int to) {
#if defined(__linux__)
  return ioctl(to, FICLONE, from);
#else
  (void)from; (void)to;
  errno = ENOTSUP;
  return -1;
#endif
}

// Starts writing dirty pages without waiting for them. A hint: its failure loses nothing.
static inline void settle_start_writeback(int descriptor) {
#if defined(__linux__)
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}

// Flushes file and, on Apple platforms, the drive's cache, which fsync alone does not.
static inline int settle_full_sync(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) == 0) { return 0; }
#endif
  return fsync(descriptor);
}

// 1 when the descriptor is on a network file system, 0 when not, -1 on error.
static inline int settle_is_network(int descriptor) {
  struct statfs information;
  if (fstatfs(descriptor, &information) != 0) { return -1; }
#if defined(__linux__)
  switch ((uint32_t)information.f_type) {
    case 0x6969u:      // NFS
    case 0x517Bu:      // SMB
    case 0xFE534D42u:  // SMB2
    case 0xFF534D42u:  // CIFS
    case 0x5346414Fu:  // AFS
    case 0x00C36400u:  // Ceph
    case 0x01021997u:  // 9P
      return 1;
    default:
      return 0;
  }
#else
  return (information.f_flags & MNT_LOCAL) ? 0 : 1;
#endif
}

static inline int settle_did_exit(int status) { return WIFEXITED(status); }
static inline int settle_exit_status(int status) { return WEXITSTATUS(status); }
static inline int settle_was_signalled(int status) { return WIFSIGNALED(status); }
static inline int settle_signal_number(int status) { return WTERMSIG(status); }

// Columns of the terminal, or -1 when the descriptor is none.
static inline int settle_terminal_columns(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) { return -1; }
  return size.ws_col;
}

static inline int settle_set_limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit = {(rlim_t)soft, (rlim_t)hard};
  return setrlimit(resource, &limit);
}

// RLIMIT_* are enumerators of differing types; these are plain integers for settle_set_limit.
static inline int settle_limit_address_space(void) { return RLIMIT_AS; }
static inline int settle_limit_cpu(void) { return RLIMIT_CPU; }
static inline int settle_limit_file_size(void) { return RLIMIT_FSIZE; }
static inline int settle_limit_core(void) { return RLIMIT_CORE; }
static inline int settle_limit_descriptors(void) { return RLIMIT_NOFILE; }

// CPU time that this process has used, in milliseconds.
static inline int64_t settle_cpu_milliseconds(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) { return -1; }
  return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
         ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static inline int settle_no_new_privileges(void) {
#if defined(__linux__)
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#else
  return 0;
#endif
}

// Asks the kernel to kill this process when its parent ends (Linux; elsewhere a closed pipe does).
static inline int settle_die_with_parent(void) {
#if defined(__linux__)
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#else
  return 0;
#endif
}

// Routes a signal to `write_descriptor` as one byte holding its number (the self-pipe trick).
// Returns 0, or -1 with errno. The handler stays until settle_restore_signal.
int settle_watch_signal(int number, int write_descriptor);
int settle_restore_signal(int number);
