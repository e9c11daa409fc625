// The C library as the Swift targets see it: what Swift cannot import by itself (variadic calls,
// macros, calls that need _GNU_SOURCE), and nothing else. No policy lives here.
//
// _GNU_SOURCE is defined in the .c file only: defined here, the types of this module would differ
// from those of Swift's own Glibc module, and the two could not be imported together.
#pragma once

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
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int settle_errno(void);
// Tells running threads apart: pthread_t is a number on one platform and a pointer on the other.
unsigned long settle_thread_number(void);
void settle_set_errno(int value);

int settle_openat(int directory, const char *name, int flags, mode_t mode);

int settle_fcntl(int descriptor, int command, int argument);

// Renames without ever replacing. Returns -1 with ENOSYS or EINVAL where the file system cannot.
int settle_rename_exclusive(
    int from, const char *old_name, int to, const char *new_name);

// Makes `to` share the blocks of `from`. Returns -1 where the file system cannot.
int settle_clone(int from, int to);

// Starts writing dirty pages without waiting for them. A hint: its failure loses nothing.
void settle_start_writeback(int descriptor);

// Flushes file and, on Apple platforms, the drive's cache, which fsync alone does not.
int settle_full_sync(int descriptor);

// 1 when the descriptor is on a network file system, 0 when not, -1 on error.
int settle_is_network(int descriptor);

int settle_did_exit(int status);
int settle_exit_status(int status);
int settle_was_signalled(int status);
int settle_signal_number(int status);

// Columns of the terminal, or -1 when the descriptor is none.
int settle_terminal_columns(int descriptor);

int settle_set_limit(int resource, uint64_t soft, uint64_t hard);

// RLIMIT_* are enumerators of differing types; these are plain integers for settle_set_limit.
int settle_limit_address_space(void);
int settle_limit_cpu(void);
int settle_limit_file_size(void);
int settle_limit_core(void);
int settle_limit_descriptors(void);

// CPU time that this process has used, in milliseconds.
int64_t settle_cpu_milliseconds(void);

int settle_no_new_privileges(void);

// Routes a signal to `write_descriptor` as one byte holding its number (the self-pipe trick).
// Returns 0, or -1 with errno. The handler stays until settle_restore_signal.
int settle_watch_signal(int number, int write_descriptor);
int settle_restore_signal(int number);

#include "SettleChild.h"

// 1 when the signal is ignored, as nohup and background jobs have it; 0 when not.
int settle_signal_is_ignored(int number);

// The kind of the file system of an open descriptor, such as "ext4"; "unknown" when it has no name
// here. Never NULL.
const char *settle_file_system_kind(int descriptor);

// The most memory that this process ever had resident, in bytes.
int64_t settle_peak_memory_bytes(void);
