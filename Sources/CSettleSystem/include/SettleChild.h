// What starting and watching child processes needs from C. Included by CSettleSystem.h.
#pragma once

// The environment, without Swift having to look at a mutable global.
char **settle_environment(void);

// A pipe that no child inherits: ends[0] reads, ends[1] writes.
int settle_child_pipe(int ends[2]);

// A connected pair of sockets that no child inherits. Unlike a pipe, a socket can be written
// without the risk of SIGPIPE.
int settle_child_sockets(int ends[2]);

// Sends without waiting and without SIGPIPE: a reader that is gone is the error EPIPE.
ssize_t settle_send_now(int descriptor, const void *bytes, size_t count);

// A descriptor that poll finds readable when the process has ended, or -1 where there is none.
int settle_process_descriptor(pid_t process);

// 1 when the child has ended and waits to be collected, 0 when it runs, -1 with errno. Collects
// nothing, so the number stays taken and its group can still be signalled safely.
int settle_child_has_ended(pid_t process);

// Sets only the soft limit, never above the hard one, which stays.
int settle_set_soft_limit(int resource, uint64_t soft);

int settle_limit_stack(void);

// The running program's path, not terminated: its length, or -1 when it cannot be learnt.
ssize_t settle_executable_path(char *path, size_t capacity);

// Waits on a condition for that long at most, by a clock that nobody can set back.
void settle_wait_briefly(pthread_cond_t *condition, pthread_mutex_t *mutex, int milliseconds);

#if defined(__linux__)
// Has the child close every descriptor from this one on.
int settle_close_from(posix_spawn_file_actions_t *actions, int first);
#endif
