# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/backend.c \
  %D%/copy.c \
  %D%/count.c \
  %D%/loops.c \
  %D%/stream.c \
  %D%/team.c
# The loops of the host backend, for each set of instructions.
host_loops = libhost_portable.la
noinst_LTLIBRARIES += libhost_portable.la
libhost_portable_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_portable_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) $(HOST_CFLAGS)
libhost_portable_la_SOURCES = %D%/bits_portable.c \
  %D%/lookup_portable.c %D%/portable.c
if X86
host_loops += libhost_avx2.la libhost_avx512.la libhost_bmi2.la
noinst_LTLIBRARIES += libhost_avx2.la libhost_avx512.la libhost_bmi2.la
libhost_avx2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_avx2_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) -mavx2 -mpopcnt
libhost_avx2_la_SOURCES = %D%/avx2.c \
  %D%/lookup_avx2.c
libhost_bmi2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_bmi2_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) -mbmi2 -mpopcnt
libhost_bmi2_la_SOURCES = %D%/bits_bmi2.c
libhost_avx512_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_avx512_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) -mpopcnt \
  -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2
libhost_avx512_la_SOURCES = %D%/avx512.c
endif
