#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSettleSystem.h"

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#elif defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
#endif

int settle_errno(void) { return errno; }

unsigned long settle_thread_number(void) { return (unsigned long)pthread_self(); }

void settle_set_errno(int value) { errno = value; }

int settle_openat(int directory, const char *name, int flags, mode_t mode) {
  return openat(directory, name, flags | O_CLOEXEC, mode);
}

int settle_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

int settle_rename_exclusive(
    int from, const char *old_name, int to, const char *new_name) {
#if defined(__linux__)
  return renameat2(from, old_name, to, new_name, RENAME_NOREPLACE);
#else
  return renameatx_np(from, old_name, to, new_name, RENAME_EXCL);
#endif
}

int settle_clone(int from, int to) {
#if defined(__linux__)
  return ioctl(to, FICLONE, from);
#else
  (void)from; (void)to;
  errno = ENOTSUP;
  return -1;
#endif
}

void settle_start_writeback(int descriptor) {
#if defined(__linux__)
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}

int settle_full_sync(int descriptor) {
#if defined(__APPLE__)
  if (fcntl(descriptor, F_FULLFSYNC) == 0) { return 0; }
#endif
  return fsync(descriptor);
}

int settle_is_network(int descriptor) {
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

int settle_did_exit(int status) { return WIFEXITED(status); }

int settle_exit_status(int status) { return WEXITSTATUS(status); }

int settle_was_signalled(int status) { return WIFSIGNALED(status); }

int settle_signal_number(int status) { return WTERMSIG(status); }

int settle_terminal_columns(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) { return -1; }
  return size.ws_col;
}

int settle_set_limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit = {(rlim_t)soft, (rlim_t)hard};
  return setrlimit(resource, &limit);
}

int settle_limit_address_space(void) { return RLIMIT_AS; }

int settle_limit_cpu(void) { return RLIMIT_CPU; }

int settle_limit_file_size(void) { return RLIMIT_FSIZE; }

int settle_limit_core(void) { return RLIMIT_CORE; }

int settle_limit_descriptors(void) { return RLIMIT_NOFILE; }

int64_t settle_cpu_milliseconds(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) { return -1; }
  return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
         ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

int settle_no_new_privileges(void) {
#if defined(__linux__)
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#else
  return 0;
#endif
}

static volatile int watch_descriptor = -1;

static void forward_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe already holds a signal that nobody has read; losing this one changes nothing.
  ssize_t written = write(watch_descriptor, &byte, 1);
  (void)written;
  errno = saved;
}

int settle_watch_signal(int number, int write_descriptor) {
  watch_descriptor = write_descriptor;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = forward_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int settle_restore_signal(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int settle_signal_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

const char *settle_file_system_kind(int descriptor) {
#if defined(__linux__)
  struct statfs information;
  if (fstatfs(descriptor, &information) != 0) { return "unknown"; }
  switch ((uint32_t)information.f_type) {
    case 0x0000EF53u: return "ext4";
    case 0x9123683Eu: return "btrfs";
    case 0x58465342u: return "xfs";
    case 0xF2F52010u: return "f2fs";
    case 0x2FC12FC1u: return "zfs";
    case 0x01021994u: return "tmpfs";
    case 0x794C7630u: return "overlay";
    case 0x65735546u: return "fuse";
    case 0x00004D44u: return "fat";
    case 0x2011BAB0u: return "exfat";
    case 0x00006969u: return "nfs";
    case 0x0000517Bu: return "smb";
    case 0xFE534D42u: return "smb";
    case 0xFF534D42u: return "smb";
    case 0x01021997u: return "9p";
    default: return "unknown";
  }
#else
  // One buffer a thread: the kernel writes the name into the caller's struct.
  static _Thread_local struct statfs information;
  if (fstatfs(descriptor, &information) != 0) { return "unknown"; }
  return information.f_fstypename;
#endif
}

int64_t settle_peak_memory_bytes(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) { return -1; }
#if defined(__APPLE__)
  return usage.ru_maxrss;
#else
  return (int64_t)usage.ru_maxrss * 1024;
#endif
}
