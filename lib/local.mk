# SPDX-License-Identifier: Apache-2.0
# Everything is compiled once, into a convenience library that white-box tests
# may link; libwinnow is that with the version script applied.
noinst_LTLIBRARIES += libwinnow_internal.la
# What is written for the text of conditions.
AM_YFLAGS = -d -Wno-yacc
lib/text_scan.c: lib/text_parse.h
libwinnow_internal_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) \
  -I$(top_srcdir)/lib $(CUDA_CPPFLAGS)
libwinnow_internal_la_CFLAGS = $(AM_CFLAGS) -pthread -fvisibility=hidden
library_sources = \
  lib/accumulate.h \
  lib/accumulate_by_key.c \
  lib/accumulate_partition.h \
  lib/accumulate_sums.h \
  lib/backend.h \
  lib/call.c lib/call.h \
  lib/columns.c lib/columns.h \
  lib/compact.c \
  lib/compact_index.c \
  lib/compaction.c \
  lib/condition.c lib/condition.h \
  lib/context.c lib/context.h \
  lib/copy_if.c \
  lib/copy_index_if.c \
  lib/copy_selected.c \
  lib/count_if.c \
  lib/estimate.c \
  lib/host_accumulate.c \
  lib/expand.c \
  lib/explain.c lib/explain.h \
  lib/host_backend.c \
  lib/host_copy.c lib/host_copy.h \
  lib/host_in_place.c \
  lib/host_loops.c lib/host_loops.h \
  lib/host_reduce.c lib/host_reduce_loops.h \
  lib/host_partition.c \
  lib/host_selection.c \
  lib/host_stream.c \
  lib/host_team.c lib/host_team.h \
  lib/one_shot.c lib/one_shot.h \
  lib/operation.h \
  lib/partition.c lib/partition.h \
  lib/partition_if.c \
  lib/predicate.c lib/predicate.h \
  lib/reduce_if.c lib/reduce_if.h \
  lib/rows.c lib/rows.h \
  lib/select_flagged.c \
  lib/select_if.c \
  lib/select_where.c \
  lib/select_unique.c lib/unique.h \
  lib/selection.c lib/selection.h \
  lib/selection_combine.c \
  lib/selection_count.c \
  lib/selection_kernels.h \
  lib/segmented_copy_if.c \
  lib/segments.h lib/selection_segments.c \
  lib/selection_to_mask.c \
  lib/source.c lib/source.h \
  lib/split.c lib/split.h \
  lib/status.c lib/status.h \
  lib/strategy.c lib/strategy.h \
  lib/text.c lib/text.h \
  lib/text_number.c \
  lib/text_parse.y \
  lib/text_scan.l lib/text_scanner.h \
  lib/type.c lib/type.h \
  lib/unique.c \
  lib/version.c \
  lib/where_program.c
cuda_sources = \
  lib/cuda_accumulate.c \
  lib/cuda_accumulate_partition.c \
  lib/cuda_accumulate_sums.c \
  lib/cuda_backend.h \
  lib/cuda_candidates.c lib/cuda_candidates.h \
  lib/cuda_capture.c \
  lib/cuda_check.c \
  lib/cuda_choose.c \
  lib/cuda_columns.c \
  lib/cuda_compaction.c \
  lib/cuda_context.c \
  lib/cuda_context.h \
  lib/cuda_cub.c \
  lib/cuda_driver.c \
  lib/cuda_enter.c \
  lib/cuda_explain.c \
  lib/cuda_launch.c \
  lib/cuda_launch.h \
  lib/cuda_memory.c \
  lib/cuda_memory.h \
  lib/cuda_occupancy.c \
  lib/cuda_partition.c \
  lib/cuda_partition_shape.c \
  lib/cuda_partition_shape.h \
  lib/cuda_plan.c \
  lib/cuda_plan.h \
  lib/cuda_ready.c \
  lib/cuda_keyed_columns.c \
  lib/cuda_keyed_columns.h \
  lib/cuda_records.c \
  lib/cuda_records.h \
  lib/cuda_reduce.c \
  lib/cuda_run.c \
  lib/cuda_shapes.c \
  lib/cuda_shapes.h \
  lib/cuda_small.c \
  lib/cuda_status.c \
  lib/cuda_tune.c \
  lib/tuning.h \
  lib/tuning_built_in.c \
  lib/tuning_check.c \
  lib/tuning_file.c \
  lib/tuning_place.c lib/tuning_place.h
EXTRA_DIST += $(cuda_sources)
libwinnow_internal_la_SOURCES = $(library_sources)
libwinnow_internal_la_LIBADD = $(host_loops)

# The inner loops of the host backend, for each set of instructions.
host_loops = libhost_portable.la
noinst_LTLIBRARIES += libhost_portable.la
libhost_portable_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_portable_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) $(HOST_CFLAGS)
libhost_portable_la_SOURCES = lib/host_portable.c lib/host_reduce_portable.c
if X86
host_loops += libhost_avx2.la libhost_avx512.la
noinst_LTLIBRARIES += libhost_avx2.la libhost_avx512.la
libhost_avx2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_avx2_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) -mavx2 -mpopcnt
libhost_avx2_la_SOURCES = lib/host_avx2.c
libhost_avx512_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_avx512_la_CFLAGS = $(libwinnow_internal_la_CFLAGS) -mpopcnt \
  -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2
libhost_avx512_la_SOURCES = lib/host_avx512.c
# Loops of plain C, for the same.
host_loops += libhost_reduce_avx2.la libhost_reduce_avx512.la
noinst_LTLIBRARIES += libhost_reduce_avx2.la libhost_reduce_avx512.la
libhost_reduce_avx2_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_reduce_avx2_la_CFLAGS = $(libhost_avx2_la_CFLAGS) $(HOST_CFLAGS)
libhost_reduce_avx2_la_SOURCES = lib/host_reduce_avx2.c
libhost_reduce_avx512_la_CPPFLAGS = $(libwinnow_internal_la_CPPFLAGS)
libhost_reduce_avx512_la_CFLAGS = $(libhost_avx512_la_CFLAGS) $(HOST_CFLAGS)
libhost_reduce_avx512_la_SOURCES = lib/host_reduce_avx512.c
endif

lib_LTLIBRARIES = libwinnow.la
libwinnow_la_SOURCES =
libwinnow_la_CFLAGS = $(AM_CFLAGS) -pthread
libwinnow_la_LIBADD = libwinnow_internal.la
libwinnow_la_DEPENDENCIES = libwinnow_internal.la lib/libwinnow.map
libwinnow_la_LDFLAGS = -version-info 1:0:1 -no-undefined $(WINNOW_LDFLAGS) \
  -Wl,--version-script=$(top_srcdir)/lib/libwinnow.map
EXTRA_DIST += lib/libwinnow.map

if WITH_CUDA
libwinnow_internal_la_SOURCES += $(cuda_sources)
libwinnow_la_LIBADD += $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE)
libwinnow_la_LDFLAGS += -static-libgcc
endif
