// What zlib and its caller share, as the public header of zlib 1.x declares it: the library is found
// when it is first needed, and its header need not be there.
#ifndef TENON_ZLIB_STREAM_H
#define TENON_ZLIB_STREAM_H

#include <stdint.h>

typedef struct {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *, unsigned int, unsigned int);
  void (*zfree)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
} tenon_z_stream;

#endif
