# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/host.c \
  %D%/if.c \
  %D%/merge.c
cuda_sources += \
  %D%/enqueue.c
# Loops of plain C, which the compiler vectorises for each set of instructions.
host_loops += libreduce_portable.la
noinst_LTLIBRARIES += libreduce_portable.la
libreduce_portable_la_CPPFLAGS = $(libhost_portable_la_CPPFLAGS) \
  -DREDUCE_LOOPS=winnow__reduce_portable
libreduce_portable_la_CFLAGS = $(libhost_portable_la_CFLAGS)
libreduce_portable_la_SOURCES = %D%/host_loops.c
if X86
host_loops += libreduce_avx2.la libreduce_avx512.la
noinst_LTLIBRARIES += libreduce_avx2.la libreduce_avx512.la
libreduce_avx2_la_CPPFLAGS = $(libhost_avx2_la_CPPFLAGS) \
  -DREDUCE_LOOPS=winnow__reduce_avx2
libreduce_avx2_la_CFLAGS = $(libhost_avx2_la_CFLAGS) $(HOST_CFLAGS)
libreduce_avx2_la_SOURCES = %D%/host_loops.c
libreduce_avx512_la_CPPFLAGS = $(libhost_avx512_la_CPPFLAGS) \
  -DREDUCE_LOOPS=winnow__reduce_avx512
libreduce_avx512_la_CFLAGS = $(libhost_avx512_la_CFLAGS) $(HOST_CFLAGS)
libreduce_avx512_la_SOURCES = %D%/host_loops.c
endif
