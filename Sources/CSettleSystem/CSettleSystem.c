#include "CSettleSystem.h"

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
