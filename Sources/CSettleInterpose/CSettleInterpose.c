#define _GNU_SOURCE
#include "CSettleInterpose.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The C library's own function. Found when it is first needed, which may be before main; every
// thread finds the same one, so that a race stores the same value twice.
#define REAL(result, name, ...)                                                     \
  static result (*real_##name(void))(__VA_ARGS__) {                                 \
    static _Atomic(void *) found;                                                   \
    void *function = atomic_load_explicit(&found, memory_order_relaxed);            \
    if (function == NULL) {                                                         \
      function = dlsym(RTLD_NEXT, #name);                                           \
      if (function == NULL) { abort(); }                                            \
      atomic_store_explicit(&found, function, memory_order_relaxed);                \
    }                                                                               \
    return (result(*)(__VA_ARGS__))function;                                        \
  }

REAL(int, openat, int, const char *, int, ...)
REAL(int, close, int)
REAL(ssize_t, read, int, void *, size_t)
REAL(ssize_t, pread, int, void *, size_t, off_t)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(ssize_t, sendfile, int, int, off_t *, size_t)
REAL(ssize_t, copy_file_range, int, off_t *, int, off_t *, size_t, unsigned)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, ftruncate, int, off_t)
REAL(int, truncate, const char *, off_t)
REAL(int, renameat2, int, const char *, int, const char *, unsigned)
REAL(int, unlinkat, int, const char *, int)
REAL(int, mkdirat, int, const char *, mode_t)
REAL(int, linkat, int, const char *, int, const char *, int)
REAL(int, symlinkat, const char *, int, const char *)
REAL(int, fchmod, int, mode_t)
REAL(int, fchown, int, uid_t, gid_t)
REAL(int, dup, int)
REAL(int, mkstemp, char *)

// MARK: Handlers

static _Thread_local settle_call_handler thread_handler;
static _Thread_local void *thread_context;
// True while a handler works: what it calls itself goes straight on.
static _Thread_local bool is_inside;
static _Atomic(settle_call_handler) general_handler;
static atomic_int general_count;

bool settle_interpose_is_possible(void) { return true; }

settle_call_handler settle_interpose_thread(settle_call_handler handler, void *context,
                                            void **former_context) {
  settle_call_handler former = thread_handler;
  *former_context = thread_context;
  thread_handler = handler;
  thread_context = context;
  return former;
}

void settle_interpose_everywhere(settle_call_handler handler, int change) {
  atomic_store(&general_handler, handler);
  atomic_fetch_add(&general_count, change);
}

static inline bool is_idle(void) {
  return (thread_handler == NULL &&
          atomic_load_explicit(&general_count, memory_order_relaxed) == 0) ||
         is_inside;
}

static int64_t ask(const settle_call *call) {
  settle_call_handler handler = thread_handler;
  void *context = thread_context;
  if (handler == NULL) {
    handler = atomic_load(&general_handler);
    context = NULL;
  }
  if (handler == NULL) { return settle_call_real(call); }
  is_inside = true;
  int64_t result = handler(context, call);
  int number = errno;
  is_inside = false;
  errno = number;
  return result;
}

enum {
  call_open, call_close, call_read, call_pread, call_write, call_pwrite, call_writev,
  call_sendfile, call_copy_file_range, call_fsync, call_fdatasync, call_ftruncate, call_truncate,
  call_rename, call_unlink, call_mkdir, call_link, call_symlink, call_fchmod, call_fchown,
  call_dup, call_mkstemp
};

int64_t settle_call_real(const settle_call *c) {
  switch (c->number) {
    case call_open: return real_openat()(c->descriptor, c->path, c->flags, c->mode);
    case call_close: return real_close()(c->descriptor);
    case call_read: return real_read()(c->descriptor, c->bytes, c->byte_count);
    case call_pread: return real_pread()(c->descriptor, c->bytes, c->byte_count, c->offset);
    case call_write: return real_write()(c->descriptor, c->bytes, c->byte_count);
    case call_pwrite: return real_pwrite()(c->descriptor, c->bytes, c->byte_count, c->offset);
    case call_sendfile: case call_copy_file_range: {
      // From `target_descriptor` to `descriptor`, at the position that `bytes` points to.
      if (c->number == call_sendfile) {
        return real_sendfile()(c->descriptor, c->target_descriptor, c->bytes, c->byte_count);
      }
      return real_copy_file_range()(
          c->target_descriptor, c->bytes, c->descriptor, NULL, c->byte_count, c->flags);
    }
    case call_fsync: return real_fsync()(c->descriptor);
    case call_fdatasync: return real_fdatasync()(c->descriptor);
    case call_ftruncate: return real_ftruncate()(c->descriptor, c->offset);
    case call_truncate: return real_truncate()(c->path, c->offset);
    case call_rename:
      return real_renameat2()(c->descriptor, c->path, c->target_descriptor, c->target, c->flags);
    case call_unlink: return real_unlinkat()(c->descriptor, c->path, c->flags);
    case call_mkdir: return real_mkdirat()(c->descriptor, c->path, c->mode);
    case call_link:
      return real_linkat()(c->descriptor, c->path, c->target_descriptor, c->target, c->flags);
    case call_symlink: return real_symlinkat()(c->path, c->target_descriptor, c->target);
    case call_fchmod: return real_fchmod()(c->descriptor, c->mode);
    case call_fchown:
      return real_fchown()(c->descriptor, (uid_t)c->flags, (gid_t)c->mode);
    case call_dup: return real_dup()(c->descriptor);
    case call_mkstemp: return real_mkstemp()(c->bytes);
    default: errno = ENOSYS; return -1;
  }
}

// MARK: Names

#define CALL(call_name, ...)                                                        \
  settle_call c = {.name = #call_name, .number = call_##call_name, .offset = -1, __VA_ARGS__}

static mode_t mode_of(int flags, va_list list) {
  bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(list, mode_t) : 0;
}

static int open_below(int folder, const char *path, int flags, mode_t mode) {
  if (is_idle()) { return real_openat()(folder, path, flags, mode); }
  CALL(open, .descriptor = folder, .path = path, .flags = flags, .mode = mode);
  return (int)ask(&c);
}

#define OPEN(name)                                                                  \
  int name(const char *path, int flags, ...) {                                      \
    va_list list;                                                                   \
    va_start(list, flags);                                                          \
    mode_t mode = mode_of(flags, list);                                             \
    va_end(list);                                                                   \
    return open_below(AT_FDCWD, path, flags, mode);                                 \
  }
#define OPENAT(name)                                                                \
  int name(int folder, const char *path, int flags, ...) {                          \
    va_list list;                                                                   \
    va_start(list, flags);                                                          \
    mode_t mode = mode_of(flags, list);                                             \
    va_end(list);                                                                   \
    return open_below(folder, path, flags, mode);                                   \
  }

// On these platforms a file offset has 64 bits in either name, so both are one function.
_Static_assert(sizeof(off_t) == 8, "file offsets have 64 bits");

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) {
  return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *path, mode_t mode) {
  return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int mkstemp(char *template) {
  if (is_idle()) { return real_mkstemp()(template); }
  CALL(mkstemp, .descriptor = AT_FDCWD, .path = template, .bytes = template);
  return (int)ask(&c);
}
int mkstemp64(char *template) { return mkstemp(template); }

static int rename_below(int from, const char *old_name, int to, const char *new_name,
                        unsigned flags) {
  if (is_idle()) { return real_renameat2()(from, old_name, to, new_name, flags); }
  CALL(rename, .descriptor = from, .path = old_name, .target_descriptor = to,
       .target = new_name, .flags = (int)flags);
  return (int)ask(&c);
}

int rename(const char *old_name, const char *new_name) {
  return rename_below(AT_FDCWD, old_name, AT_FDCWD, new_name, 0);
}
int renameat(int from, const char *old_name, int to, const char *new_name) {
  return rename_below(from, old_name, to, new_name, 0);
}
int renameat2(int from, const char *old_name, int to, const char *new_name, unsigned flags) {
  return rename_below(from, old_name, to, new_name, flags);
}

int unlinkat(int folder, const char *path, int flags) {
  if (is_idle()) { return real_unlinkat()(folder, path, flags); }
  CALL(unlink, .descriptor = folder, .path = path, .flags = flags);
  return (int)ask(&c);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  int result = unlinkat(AT_FDCWD, path, 0);
  return result == 0 || errno != EISDIR ? result : unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  if (is_idle()) { return real_mkdirat()(folder, path, mode); }
  CALL(mkdir, .descriptor = folder, .path = path, .mode = mode);
  return (int)ask(&c);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int linkat(int from, const char *old_name, int to, const char *new_name, int flags) {
  if (is_idle()) { return real_linkat()(from, old_name, to, new_name, flags); }
  CALL(link, .descriptor = from, .path = old_name, .target_descriptor = to,
       .target = new_name, .flags = flags);
  return (int)ask(&c);
}
int link(const char *old_name, const char *new_name) {
  return linkat(AT_FDCWD, old_name, AT_FDCWD, new_name, 0);
}

int symlinkat(const char *content, int folder, const char *path) {
  if (is_idle()) { return real_symlinkat()(content, folder, path); }
  CALL(symlink, .descriptor = AT_FDCWD, .path = content, .target_descriptor = folder,
       .target = path);
  return (int)ask(&c);
}
int symlink(const char *content, const char *path) {
  return symlinkat(content, AT_FDCWD, path);
}

// MARK: Open files

int close(int descriptor) {
  if (is_idle()) { return real_close()(descriptor); }
  CALL(close, .descriptor = descriptor);
  return (int)ask(&c);
}

int dup(int descriptor) {
  if (is_idle()) { return real_dup()(descriptor); }
  CALL(dup, .descriptor = descriptor);
  return (int)ask(&c);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  if (is_idle()) { return real_read()(descriptor, bytes, count); }
  CALL(read, .descriptor = descriptor, .bytes = bytes, .byte_count = count);
  return ask(&c);
}

static ssize_t read_at(int descriptor, void *bytes, size_t count, off_t offset) {
  if (is_idle()) { return real_pread()(descriptor, bytes, count, offset); }
  CALL(pread, .descriptor = descriptor, .bytes = bytes, .byte_count = count);
  c.offset = offset;
  return ask(&c);
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return read_at(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  return read_at(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_idle()) { return real_write()(descriptor, bytes, count); }
  CALL(write, .descriptor = descriptor, .bytes = (void *)bytes, .byte_count = count);
  return ask(&c);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (is_idle()) { return real_pwrite()(descriptor, bytes, count, offset); }
  CALL(pwrite, .descriptor = descriptor, .bytes = (void *)bytes, .byte_count = count);
  c.offset = offset;
  return ask(&c);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return write_at(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return write_at(descriptor, bytes, count, offset);
}

// Asked about piece by piece: a write of several pieces may take less than all of them.
ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  if (is_idle()) { return real_writev()(descriptor, pieces, count); }
  ssize_t total = 0;
  for (int index = 0; index < count; index += 1) {
    ssize_t taken = write(descriptor, pieces[index].iov_base, pieces[index].iov_len);
    if (taken < 0) { return total > 0 ? total : -1; }
    total += taken;
    if ((size_t)taken < pieces[index].iov_len) { break; }
  }
  return total;
}

static ssize_t send_file(int to, int from, off_t *offset, size_t count) {
  if (is_idle()) { return real_sendfile()(to, from, offset, count); }
  CALL(sendfile, .descriptor = to, .target_descriptor = from, .bytes = offset,
       .byte_count = count);
  return ask(&c);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  return send_file(to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  return send_file(to, from, offset, count);
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset,
                        size_t count, unsigned flags) {
  if (is_idle()) {
    return real_copy_file_range()(from, from_offset, to, to_offset, count, flags);
  }
  // A place of its own in the target is not modelled: the caller copies in another way.
  if (to_offset != NULL) {
    errno = EINVAL;
    return -1;
  }
  CALL(copy_file_range, .descriptor = to, .target_descriptor = from, .bytes = from_offset,
       .byte_count = count, .flags = (int)flags);
  return ask(&c);
}

int fsync(int descriptor) {
  if (is_idle()) { return real_fsync()(descriptor); }
  CALL(fsync, .descriptor = descriptor);
  return (int)ask(&c);
}

int fdatasync(int descriptor) {
  if (is_idle()) { return real_fdatasync()(descriptor); }
  CALL(fdatasync, .descriptor = descriptor);
  return (int)ask(&c);
}

static int set_size(int descriptor, off_t count) {
  if (is_idle()) { return real_ftruncate()(descriptor, count); }
  CALL(ftruncate, .descriptor = descriptor);
  c.offset = count;
  return (int)ask(&c);
}
int ftruncate(int descriptor, off_t count) { return set_size(descriptor, count); }
int ftruncate64(int descriptor, off64_t count) { return set_size(descriptor, count); }

static int set_size_at(const char *path, off_t count) {
  if (is_idle()) { return real_truncate()(path, count); }
  CALL(truncate, .descriptor = AT_FDCWD, .path = path);
  c.offset = count;
  return (int)ask(&c);
}
int truncate(const char *path, off_t count) { return set_size_at(path, count); }
int truncate64(const char *path, off64_t count) { return set_size_at(path, count); }

int fchmod(int descriptor, mode_t mode) {
  if (is_idle()) { return real_fchmod()(descriptor, mode); }
  CALL(fchmod, .descriptor = descriptor, .mode = mode);
  return (int)ask(&c);
}

int fchown(int descriptor, uid_t user, gid_t group) {
  if (is_idle()) { return real_fchown()(descriptor, user, group); }
  CALL(fchown, .descriptor = descriptor, .flags = (int)user, .mode = (mode_t)group);
  return (int)ask(&c);
}

#else

// Other platforms bind each library to its own C library: nothing can stand between.
bool settle_interpose_is_possible(void) { return false; }

settle_call_handler settle_interpose_thread(settle_call_handler handler, void *context,
                                            void **former_context) {
  (void)handler;
  (void)context;
  *former_context = NULL;
  return NULL;
}

void settle_interpose_everywhere(settle_call_handler handler, int change) {
  (void)handler;
  (void)change;
}

int64_t settle_call_real(const settle_call *call) {
  (void)call;
  return -1;
}

#endif
