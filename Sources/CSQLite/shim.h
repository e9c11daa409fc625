#pragma once
// Without _GNU_SOURCE, as in CSettleSystem.h: two views of the C library cannot meet in one target.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Variadic calls and cast macros, which Swift cannot import.

// Closing this connection never checkpoints.
static inline int settle_sqlite_no_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// The bytes are copied before these return.
static inline int settle_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int byte_count) {
  return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_TRANSIENT);
}

static inline int settle_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
  return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_TRANSIENT);
}

// Why a file could not be opened: 1 when it may not be, 0 when it is not there, -1 otherwise.
static inline int settle_sqlite_open_refusal(sqlite3 *connection) {
  switch (sqlite3_system_errno(connection)) {
    case EACCES: case EPERM: case EROFS: return 1;
    case ENOENT: case ENOTDIR: return 0;
    default: return -1;
  }
}

// 1 when the last open was refused because of a link.
static inline int settle_sqlite_is_link(sqlite3 *connection) {
  return sqlite3_extended_errcode(connection) == SQLITE_CANTOPEN_SYMLINK;
}

// What is at a path, links not followed: its size when it is a regular file, -1 when nothing can
// be seen there, -2 when it is anything else, which must not be opened: a pipe would block.
static inline long long settle_sqlite_file_size(const char *path) {
  struct stat information;
  if (lstat(path, &information) != 0) { return -1; }
  return S_ISREG(information.st_mode) ? (long long)information.st_size : -2;
}

// Writes the path with every link in its folder resolved, for SQLITE_OPEN_NOFOLLOW, which refuses
// links anywhere. Returns 0 when the folder cannot be resolved or the result does not fit.
static inline int settle_sqlite_resolve_folder(const char *path, char *resolved) {
  const char *slash = strrchr(path, '/');
  if (slash == 0 || slash - path >= PATH_MAX) { return 0; }
  char folder[PATH_MAX];
  size_t length = slash == path ? 1 : (size_t)(slash - path);
  memcpy(folder, path, length);
  folder[length] = 0;
  if (realpath(folder, resolved) == 0) { return 0; }
  if (strlen(resolved) + strlen(slash) >= PATH_MAX) { return 0; }
  if (strcmp(resolved, "/") == 0) { resolved[0] = 0; }
  strcat(resolved, slash);
  return 1;
}

static inline int settle_sqlite_longest_path(void) { return PATH_MAX; }

static inline int settle_sqlite_no_shared_memory(void) { return SQLITE_IOERR_SHMSIZE; }

// 1 when the last failure was for want of room.
static inline int settle_sqlite_is_disk_full(sqlite3 *connection) {
  int number = sqlite3_system_errno(connection);
  return number == ENOSPC || number == EDQUOT;
}

// Makes an empty file that only its owner may read, whatever the umask; an existing one is left
// alone: opening it here would, when closed, end the locks that SQLite has on it.
static inline void settle_sqlite_create_private(const char *path) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) { return; }  // SQLite opens it next and says what is wrong.
  (void)fchmod(descriptor, 0600);
  (void)close(descriptor);
}
