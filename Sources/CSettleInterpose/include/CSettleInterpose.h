// Stands between a program and the C library's file calls, on Linux only: definitions in the program
// itself come before those of the C library for every shared library that it loads, Foundation and
// SQLite included. Without a handler each call goes straight on; no policy lives here.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A call that is about to be done. What it does not have is 0 or NULL.
typedef struct {
  // The C name without its 64, such as "open" or "pwrite".
  const char *name;
  // Which real function does it.
  int number;
  // The descriptor, or the folder that `path` is relative to (AT_FDCWD for none).
  int descriptor;
  // The folder that `target` is relative to, or the second descriptor.
  int target_descriptor;
  const char *path;
  const char *target;
  // Where bytes are read to or written from.
  void *bytes;
  size_t byte_count;
  // The place in the file, or the new size; -1 when the call uses the descriptor's position.
  int64_t offset;
  int flags;
  mode_t mode;
} settle_call;

// What is asked in a call's place; it does the call with settle_call_real. Sets errno when it
// returns -1. Calls that it makes itself are not asked about.
typedef int64_t (*settle_call_handler)(void *context, const settle_call *call);

// Does a call and nothing else.
int64_t settle_call_real(const settle_call *call);

// The handler for calls of this thread; NULL for none. Returns the one before.
settle_call_handler settle_interpose_thread(settle_call_handler handler, void *context,
                                            void **former_context);

// A handler for calls of every thread that has none of its own, as long as `count` is above 0.
void settle_interpose_everywhere(settle_call_handler handler, int change);

// True where this library can stand between.
bool settle_interpose_is_possible(void);
