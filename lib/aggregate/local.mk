# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/accumulate.c \
  %D%/few.c \
  %D%/host.c \
  %D%/where.c
cuda_sources += \
  %D%/compiled.c \
  %D%/cuda.c
# Loops of plain C, which the compiler vectorises for each set of instructions.
host_loops += libaggregate_portable.la
noinst_LTLIBRARIES += libaggregate_portable.la
libaggregate_portable_la_CPPFLAGS = $(libhost_portable_la_CPPFLAGS) \
  -DLOOPS=winnow__aggregate_portable
libaggregate_portable_la_CFLAGS = $(libhost_portable_la_CFLAGS)
libaggregate_portable_la_SOURCES = %D%/loops.c
if X86
host_loops += libaggregate_avx2.la libaggregate_avx512.la
noinst_LTLIBRARIES += libaggregate_avx2.la libaggregate_avx512.la
libaggregate_avx2_la_CPPFLAGS = $(libhost_avx2_la_CPPFLAGS) \
  -DLOOPS=winnow__aggregate_avx2
libaggregate_avx2_la_CFLAGS = $(libhost_avx2_la_CFLAGS) $(HOST_CFLAGS)
libaggregate_avx2_la_SOURCES = %D%/loops.c
libaggregate_avx512_la_CPPFLAGS = $(libhost_avx512_la_CPPFLAGS) \
  -DLOOPS=winnow__aggregate_avx512
libaggregate_avx512_la_CFLAGS = $(libhost_avx512_la_CFLAGS) $(HOST_CFLAGS)
libaggregate_avx512_la_SOURCES = %D%/loops.c
endif
