# SPDX-License-Identifier: Apache-2.0
# One program per area. What they share is compiled once.
tests_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CUDA_CPPFLAGS)
tests_cflags = $(AM_CFLAGS) -pthread

check_LTLIBRARIES += tests/libsupport.la
tests_libsupport_la_CPPFLAGS = $(tests_cppflags)
tests_libsupport_la_CFLAGS = $(tests_cflags)
support_sources = \
  tests/backend.c tests/backend.h \
  tests/conditions.c tests/conditions.h \
  tests/data.c tests/data.h \
  tests/element.c tests/element.h \
  tests/keyed_columns.c tests/keyed_columns.h \
  tests/multiset.c tests/multiset.h \
  tests/oracle.c tests/oracle.h \
  tests/parted.c tests/parted.h \
  tests/records.c tests/records.h \
  tests/reduced.h \
  tests/reductions.c tests/reductions.h \
  tests/region.c tests/region.h \
  tests/report.c tests/report.h \
  tests/rules.c tests/rules.h \
  tests/runs.c tests/runs.h \
  tests/segmented.c tests/segmented.h \
  tests/selected.c tests/selected.h \
  tests/strategies.h \
  tests/table.c tests/table.h \
  tests/trial.c tests/trial.h
gpu_support_sources = tests/gate.c tests/gate.h tests/gpu.c tests/gpu.h
EXTRA_DIST += $(gpu_support_sources)
tests_libsupport_la_SOURCES = $(support_sources)
tests_ldadd = tests/libsupport.la libwinnow.la

# One process and no Criterion: for tools that follow no children.
check_PROGRAMS += tests/test_reduced
TESTS += tests/test_reduced
tests_test_reduced_CPPFLAGS = $(tests_cppflags)
tests_test_reduced_CFLAGS = $(tests_cflags)
tests_test_reduced_SOURCES = tests/test_reduced.c
tests_test_reduced_LDADD = $(tests_ldadd)

# Texts for the parser; more of them by tools/soak.
check_PROGRAMS += tests/fuzz_text
TESTS += tests/fuzz_text
tests_fuzz_text_CPPFLAGS = $(tests_cppflags)
tests_fuzz_text_CFLAGS = $(tests_cflags)
tests_fuzz_text_SOURCES = tests/fuzz_text.c
tests_fuzz_text_LDADD = $(tests_ldadd)

if WITH_CUDA
tests_libsupport_la_SOURCES += $(gpu_support_sources)
tests_ldadd += $(CUDART_LIBS)
endif
# After the libraries that call it.
tests_ldadd += -lm

if HAVE_CRITERION
tests_criterion_programs = \
  tests/test_accumulate_by_key \
  tests/test_capacity \
  tests/test_columns \
  tests/test_compact \
  tests/test_concurrency \
  tests/test_condition \
  tests/test_copy_if \
  tests/test_copy_index_if \
  tests/test_count \
  tests/test_errors \
  tests/test_expand \
  tests/test_fit \
  tests/test_host \
  tests/test_host_in_place \
  tests/test_in_place \
  tests/test_parse \
  tests/test_one_shot \
  tests/test_one_shot_runs \
  tests/test_partition_by_key \
  tests/test_partition_large \
  tests/test_predicate \
  tests/test_reduce_if \
  tests/test_segments \
  tests/test_select \
  tests/test_select_unique \
  tests/test_selection \
  tests/test_sizes \
  tests/test_status
check_PROGRAMS += $(tests_criterion_programs)
TESTS += $(tests_criterion_programs)

tests_criterion_cflags = $(tests_cflags) $(CRITERION_CFLAGS)
tests_criterion_ldadd = $(tests_ldadd) $(CRITERION_LIBS)

tests_test_accumulate_by_key_CPPFLAGS = $(tests_cppflags)
tests_test_accumulate_by_key_CFLAGS = $(tests_criterion_cflags)
tests_test_accumulate_by_key_SOURCES = tests/test_accumulate_by_key.c \
  tests/suite.h
tests_test_accumulate_by_key_LDADD = $(tests_criterion_ldadd)

tests_test_capacity_CPPFLAGS = $(tests_cppflags)
tests_test_capacity_CFLAGS = $(tests_criterion_cflags)
tests_test_capacity_SOURCES = tests/test_capacity.c tests/suite.h
tests_test_capacity_LDADD = $(tests_criterion_ldadd)

tests_test_one_shot_CPPFLAGS = $(tests_cppflags)
tests_test_one_shot_CFLAGS = $(tests_criterion_cflags)
tests_test_one_shot_SOURCES = tests/test_one_shot.c tests/suite.h
tests_test_one_shot_LDADD = $(tests_criterion_ldadd)

tests_test_columns_CPPFLAGS = $(tests_cppflags)
tests_test_columns_CFLAGS = $(tests_criterion_cflags)
tests_test_columns_SOURCES = tests/test_columns.c tests/suite.h
tests_test_columns_LDADD = $(tests_criterion_ldadd)

tests_test_compact_CPPFLAGS = $(tests_cppflags)
tests_test_compact_CFLAGS = $(tests_criterion_cflags)
tests_test_compact_SOURCES = tests/test_compact.c tests/suite.h
tests_test_compact_LDADD = $(tests_criterion_ldadd)

tests_test_concurrency_CPPFLAGS = $(tests_cppflags)
tests_test_concurrency_CFLAGS = $(tests_criterion_cflags)
tests_test_concurrency_SOURCES = tests/test_concurrency.c tests/suite.h
tests_test_concurrency_LDADD = $(tests_criterion_ldadd)

tests_test_condition_CPPFLAGS = $(tests_cppflags)
tests_test_condition_CFLAGS = $(tests_criterion_cflags)
tests_test_condition_SOURCES = tests/test_condition.c tests/suite.h
tests_test_condition_LDADD = $(tests_criterion_ldadd)

tests_test_copy_if_CPPFLAGS = $(tests_cppflags)
tests_test_copy_if_CFLAGS = $(tests_criterion_cflags)
tests_test_copy_if_SOURCES = tests/test_copy_if.c tests/suite.h
tests_test_copy_if_LDADD = $(tests_criterion_ldadd)

tests_test_copy_index_if_CPPFLAGS = $(tests_cppflags)
tests_test_copy_index_if_CFLAGS = $(tests_criterion_cflags)
tests_test_copy_index_if_SOURCES = tests/test_copy_index_if.c tests/suite.h
tests_test_copy_index_if_LDADD = $(tests_criterion_ldadd)

tests_test_count_CPPFLAGS = $(tests_cppflags)
tests_test_count_CFLAGS = $(tests_criterion_cflags)
tests_test_count_SOURCES = tests/test_count.c tests/suite.h
tests_test_count_LDADD = $(tests_criterion_ldadd)

tests_test_errors_CPPFLAGS = $(tests_cppflags)
tests_test_errors_CFLAGS = $(tests_criterion_cflags)
tests_test_errors_SOURCES = tests/test_errors.c tests/suite.h
tests_test_errors_LDADD = $(tests_criterion_ldadd)

tests_test_fit_CPPFLAGS = $(tests_cppflags) -I$(top_srcdir)
tests_test_fit_CFLAGS = $(tests_criterion_cflags)
tests_test_fit_SOURCES = tests/test_fit.c bench/fit.c bench/fit.h
tests_test_fit_LDADD = $(tests_criterion_ldadd)

tests_test_host_CPPFLAGS = $(tests_cppflags)
tests_test_host_CFLAGS = $(tests_criterion_cflags)
tests_test_host_SOURCES = tests/test_host.c tests/suite.h
tests_test_host_LDADD = $(tests_criterion_ldadd)

tests_test_host_in_place_CPPFLAGS = $(tests_cppflags)
tests_test_host_in_place_CFLAGS = $(tests_criterion_cflags)
tests_test_host_in_place_SOURCES = tests/test_host_in_place.c tests/suite.h
tests_test_host_in_place_LDADD = $(tests_criterion_ldadd)

tests_test_in_place_CPPFLAGS = $(tests_cppflags)
tests_test_in_place_CFLAGS = $(tests_criterion_cflags)
tests_test_in_place_SOURCES = tests/test_in_place.c tests/suite.h
tests_test_in_place_LDADD = $(tests_criterion_ldadd)

tests_test_parse_CPPFLAGS = $(tests_cppflags)
tests_test_parse_CFLAGS = $(tests_criterion_cflags)
tests_test_parse_SOURCES = tests/test_parse.c tests/suite.h
tests_test_parse_LDADD = $(tests_criterion_ldadd)

tests_test_partition_by_key_CPPFLAGS = $(tests_cppflags)
tests_test_partition_by_key_CFLAGS = $(tests_criterion_cflags)
tests_test_partition_by_key_SOURCES = tests/test_partition_by_key.c \
  tests/suite.h
tests_test_partition_by_key_LDADD = $(tests_criterion_ldadd)

tests_test_partition_large_CPPFLAGS = $(tests_cppflags)
tests_test_partition_large_CFLAGS = $(tests_criterion_cflags)
tests_test_partition_large_SOURCES = tests/test_partition_large.c tests/suite.h
tests_test_partition_large_LDADD = $(tests_criterion_ldadd)

tests_test_predicate_CPPFLAGS = $(tests_cppflags)
tests_test_predicate_CFLAGS = $(tests_criterion_cflags)
tests_test_predicate_SOURCES = tests/test_predicate.c
tests_test_predicate_LDADD = $(tests_criterion_ldadd)

tests_test_reduce_if_CPPFLAGS = $(tests_cppflags)
tests_test_reduce_if_CFLAGS = $(tests_criterion_cflags)
tests_test_reduce_if_SOURCES = tests/test_reduce_if.c tests/suite.h
tests_test_reduce_if_LDADD = $(tests_criterion_ldadd)
tests_test_select_CPPFLAGS = $(tests_cppflags)
tests_test_select_CFLAGS = $(tests_criterion_cflags)
tests_test_select_SOURCES = tests/test_select.c tests/suite.h
tests_test_select_LDADD = $(tests_criterion_ldadd)

tests_test_expand_CPPFLAGS = $(tests_cppflags)
tests_test_expand_CFLAGS = $(tests_criterion_cflags)
tests_test_expand_SOURCES = tests/test_expand.c tests/suite.h
tests_test_expand_LDADD = $(tests_criterion_ldadd)

tests_test_segments_CPPFLAGS = $(tests_cppflags)
tests_test_segments_CFLAGS = $(tests_criterion_cflags)
tests_test_segments_SOURCES = tests/test_segments.c tests/suite.h
tests_test_segments_LDADD = $(tests_criterion_ldadd)

tests_test_one_shot_runs_CPPFLAGS = $(tests_cppflags)
tests_test_one_shot_runs_CFLAGS = $(tests_criterion_cflags)
tests_test_one_shot_runs_SOURCES = tests/test_one_shot_runs.c tests/suite.h
tests_test_one_shot_runs_LDADD = $(tests_criterion_ldadd)

tests_test_select_unique_CPPFLAGS = $(tests_cppflags)
tests_test_select_unique_CFLAGS = $(tests_criterion_cflags)
tests_test_select_unique_SOURCES = tests/test_select_unique.c tests/suite.h
tests_test_select_unique_LDADD = $(tests_criterion_ldadd) -lm

tests_test_selection_CPPFLAGS = $(tests_cppflags)
tests_test_selection_CFLAGS = $(tests_criterion_cflags)
tests_test_selection_SOURCES = tests/test_selection.c tests/suite.h
tests_test_selection_LDADD = $(tests_criterion_ldadd)

tests_test_sizes_CPPFLAGS = $(tests_cppflags)
tests_test_sizes_CFLAGS = $(tests_criterion_cflags)
tests_test_sizes_SOURCES = tests/test_sizes.c tests/suite.h
tests_test_sizes_LDADD = $(tests_criterion_ldadd)

tests_test_status_CPPFLAGS = $(tests_cppflags)
tests_test_status_CFLAGS = $(tests_criterion_cflags)
tests_test_status_SOURCES = tests/test_status.c
tests_test_status_LDADD = $(tests_criterion_ldadd)

if WITH_CUDA
tests_criterion_gpu_programs = \
  tests/test_device \
  tests/test_graph \
  tests/test_huge \
  tests/test_keyed_columns \
  tests/test_memory \
  tests/test_order \
  tests/test_part \
  tests/test_partition_if \
  tests/test_primitives \
  tests/test_random \
  tests/test_records \
  tests/test_segmented \
  tests/test_selection_scan \
  tests/test_software_atomic \
  tests/test_staging \
  tests/test_tiles \
  tests/test_tuning \
  tests/test_unique \
  tests/test_one_wave
check_PROGRAMS += $(tests_criterion_gpu_programs)
TESTS += $(tests_criterion_gpu_programs)

tests_test_device_CPPFLAGS = $(tests_cppflags)
tests_test_device_CFLAGS = $(tests_criterion_cflags)
tests_test_device_SOURCES = tests/test_device.c tests/suite.h
tests_test_device_LDADD = $(tests_criterion_ldadd)

tests_test_graph_CPPFLAGS = $(tests_cppflags)
tests_test_graph_CFLAGS = $(tests_criterion_cflags)
tests_test_graph_SOURCES = tests/test_graph.c tests/suite.h
tests_test_graph_LDADD = $(tests_criterion_ldadd)

tests_test_memory_CPPFLAGS = $(tests_cppflags)
tests_test_memory_CFLAGS = $(tests_criterion_cflags)
tests_test_memory_SOURCES = tests/test_memory.c tests/mapping.c \
  tests/mapping.h tests/suite.h
tests_test_memory_LDADD = $(tests_criterion_ldadd)

tests_test_order_CPPFLAGS = $(tests_cppflags)
tests_test_order_CFLAGS = $(tests_criterion_cflags)
tests_test_order_SOURCES = tests/test_order.c tests/suite.h
tests_test_order_LDADD = $(tests_criterion_ldadd)

tests_test_part_CPPFLAGS = $(tests_cppflags)
tests_test_part_CFLAGS = $(tests_criterion_cflags)
tests_test_part_SOURCES = tests/test_part.c tests/part.c tests/part.h \
  tests/suite.h
tests_test_part_LDADD = $(tests_criterion_ldadd)

# The device functions of the headers, in kernels of the tests' own.
check_LTLIBRARIES += tests/libprimitives.la
tests_libprimitives_la_SOURCES = tests/primitives.cu tests/primitives.h
tests_test_primitives_CPPFLAGS = $(tests_cppflags)
tests_test_primitives_CFLAGS = $(tests_criterion_cflags)
tests_test_primitives_SOURCES = tests/test_primitives.c tests/suite.h
# The C++ runtime's guards, which nvcc's launch stubs refer to.
tests_test_primitives_LDADD = tests/libprimitives.la $(tests_criterion_ldadd) \
  -lsupc++

# These look inside of the library, and so are linked with all of it.
tests_inside_cppflags = $(tests_cppflags) -I$(top_srcdir)/lib
check_LTLIBRARIES += tests/libcut.la tests/liboccupy.la
tests_libcut_la_CPPFLAGS = $(tests_inside_cppflags)
tests_libcut_la_CFLAGS = $(tests_cflags)
tests_libcut_la_SOURCES = tests/cut.c tests/cut.h
tests_liboccupy_la_SOURCES = tests/occupy.cu tests/occupy.h
tests_inside_ldadd = tests/libcut.la tests/libsupport.la \
  libwinnow_internal.la $(CUDART_LIBS) $(CRITERION_LIBS) \
  $(WINNOW_CXX_PRIVATE) -lm

tests_test_keyed_columns_CPPFLAGS = $(tests_inside_cppflags)
tests_test_keyed_columns_CFLAGS = $(tests_criterion_cflags)
tests_test_keyed_columns_SOURCES = tests/test_keyed_columns.c tests/suite.h
tests_test_keyed_columns_LDADD = $(tests_inside_ldadd)

tests_test_partition_if_CPPFLAGS = $(tests_inside_cppflags)
tests_test_partition_if_CFLAGS = $(tests_criterion_cflags)
tests_test_partition_if_SOURCES = tests/test_partition_if.c tests/suite.h
tests_test_partition_if_LDADD = $(tests_inside_ldadd)

tests_test_random_CPPFLAGS = $(tests_inside_cppflags)
tests_test_random_CFLAGS = $(tests_criterion_cflags)
tests_test_random_SOURCES = tests/test_random.c tests/suite.h
tests_test_random_LDADD = $(tests_inside_ldadd)

tests_test_records_CPPFLAGS = $(tests_inside_cppflags)
tests_test_records_CFLAGS = $(tests_criterion_cflags)
tests_test_records_SOURCES = tests/test_records.c tests/suite.h
tests_test_records_LDADD = $(tests_inside_ldadd)

tests_test_staging_CPPFLAGS = $(tests_inside_cppflags)
tests_test_staging_CFLAGS = $(tests_criterion_cflags)
tests_test_staging_SOURCES = tests/test_staging.c tests/suite.h
tests_test_staging_LDADD = $(tests_inside_ldadd)

tests_test_tiles_CPPFLAGS = $(tests_inside_cppflags)
tests_test_tiles_CFLAGS = $(tests_criterion_cflags)
tests_test_tiles_SOURCES = tests/test_tiles.c tests/suite.h
tests_test_tiles_LDADD = $(tests_inside_ldadd)

tests_test_software_atomic_CPPFLAGS = $(tests_inside_cppflags)
tests_test_software_atomic_CFLAGS = $(tests_criterion_cflags)
tests_test_software_atomic_SOURCES = tests/test_software_atomic.c \
  tests/part.c tests/part.h tests/suite.h
tests_test_software_atomic_LDADD = $(tests_inside_ldadd)
tests_test_tuning_CPPFLAGS = $(tests_inside_cppflags)
tests_test_tuning_CFLAGS = $(tests_criterion_cflags)
tests_test_tuning_SOURCES = tests/test_tuning.c tests/profile.c \
  tests/profile.h tests/suite.h bench/fit.c bench/fit.h
tests_test_tuning_LDADD = $(tests_inside_ldadd)

tests_test_segmented_CPPFLAGS = $(tests_inside_cppflags)
tests_test_segmented_CFLAGS = $(tests_criterion_cflags)
tests_test_segmented_SOURCES = tests/test_segmented.c tests/suite.h
tests_test_segmented_LDADD = $(tests_inside_ldadd)

tests_test_selection_scan_CPPFLAGS = $(tests_inside_cppflags)
tests_test_selection_scan_CFLAGS = $(tests_criterion_cflags)
tests_test_selection_scan_SOURCES = tests/test_selection_scan.c tests/suite.h
tests_test_selection_scan_LDADD = $(tests_inside_ldadd)

tests_test_unique_CPPFLAGS = $(tests_inside_cppflags)
tests_test_unique_CFLAGS = $(tests_criterion_cflags)
tests_test_unique_SOURCES = tests/test_unique.c tests/suite.h
tests_test_unique_LDADD = $(tests_inside_ldadd)

tests_test_one_wave_CPPFLAGS = $(tests_inside_cppflags)
tests_test_one_wave_CFLAGS = $(tests_criterion_cflags)
tests_test_one_wave_SOURCES = tests/test_one_wave.c tests/suite.h
tests_test_one_wave_LDADD = tests/liboccupy.la $(tests_inside_ldadd)

check_LTLIBRARIES += tests/libhuge.la
tests_libhuge_la_SOURCES = tests/huge.cu tests/huge.h
-include $(wildcard tests/$(DEPDIR)/*.cu.d)
# The C++ runtime's guards, which nvcc's launch stubs refer to.
tests_test_huge_CPPFLAGS = $(tests_cppflags)
tests_test_huge_CFLAGS = $(tests_criterion_cflags)
tests_test_huge_SOURCES = tests/test_huge.c tests/suite.h
tests_test_huge_LDADD = tests/libhuge.la $(tests_criterion_ldadd) -lsupc++
endif
else
TESTS += tests/criterion-is-missing
endif
EXTRA_DIST += tests/criterion-is-missing
