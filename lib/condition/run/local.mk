# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/copy_where.c \
  %D%/evaluate.c \
  %D%/prepare.c \
  %D%/where.c \
  %D%/where_bind.c \
  %D%/where_host.c \
  %D%/where_order.c \
  %D%/where_strings.c \
  %D%/where_values.c \
  %D%/where_values_host.c
cuda_sources += \
  %D%/where_cuda.c \
  %D%/where_strings_cuda.c \
  %D%/where_values_cuda.c
# The loops, for each set of instructions: vectors of operations that set no errno
# and trap nothing, and none of which is fused with another.
expression_cflags = $(libwinnow_internal_la_CFLAGS) $(HOST_CFLAGS) \
  -ffp-contract=off -fno-math-errno -fno-trapping-math
host_loops += libexpression_portable.la
noinst_LTLIBRARIES += libexpression_portable.la
libexpression_portable_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS) \
  -DLOOPS=winnow__value_loops_portable
libexpression_portable_la_CFLAGS = $(expression_cflags)
libexpression_portable_la_SOURCES = %D%/loops.c
if X86
host_loops += libexpression_avx2.la libexpression_avx512.la
noinst_LTLIBRARIES += libexpression_avx2.la libexpression_avx512.la
libexpression_avx2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS) \
  -DLOOPS=winnow__value_loops_avx2
libexpression_avx2_la_CFLAGS = $(expression_cflags) -mavx2
libexpression_avx2_la_SOURCES = %D%/loops.c
libexpression_avx512_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS) \
  -DLOOPS=winnow__value_loops_avx512
libexpression_avx512_la_CFLAGS = $(expression_cflags) \
  -mavx512f -mavx512bw -mavx512dq -mavx512vl
libexpression_avx512_la_SOURCES = %D%/loops.c
endif
