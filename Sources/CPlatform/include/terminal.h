// The size of a terminal, which the system tells by a request that Swift does not import everywhere.
#ifndef TENON_TERMINAL_H
#define TENON_TERMINAL_H

#include <sys/ioctl.h>

// Returns whether a terminal is at the descriptor and knows its size.
static inline int tenon_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size = {0};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return size.ws_col > 0 && size.ws_row > 0;
}

#endif
