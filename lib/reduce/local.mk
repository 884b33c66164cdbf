# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/details.h \
  %D%/host.c \
  %D%/host_loops.h \
  %D%/if.c
cuda_sources += \
  %D%/enqueue.c
# Loops of plain C, which the compiler vectorises for each set of instructions.
libhost_portable_la_SOURCES += %D%/host_portable.c
if X86
host_loops += libhost_reduce_avx2.la libhost_reduce_avx512.la
noinst_LTLIBRARIES += libhost_reduce_avx2.la libhost_reduce_avx512.la
libhost_reduce_avx2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_reduce_avx2_la_CFLAGS = $(libhost_avx2_la_CFLAGS) $(HOST_CFLAGS)
libhost_reduce_avx2_la_SOURCES = %D%/host_avx2.c
libhost_reduce_avx512_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_reduce_avx512_la_CFLAGS = $(libhost_avx512_la_CFLAGS) $(HOST_CFLAGS)
libhost_reduce_avx512_la_SOURCES = %D%/host_avx512.c
endif
