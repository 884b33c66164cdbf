# SPDX-License-Identifier: Apache-2.0
# Three programs have the tests of Criterion: tests/host_tests, tests/gpu_tests
# and tests/simt/device_tests, each with a list of its own below or beside it.
# What all tests share is compiled once.
tests_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CUDA_CPPFLAGS)
tests_cflags = $(AM_CFLAGS) -pthread

check_LTLIBRARIES += tests/libsupport.la
tests_libsupport_la_CPPFLAGS = $(tests_cppflags)
tests_libsupport_la_CFLAGS = $(tests_cflags)
support_sources = \
  tests/accumulated.c tests/accumulated.h \
  tests/aggregated.c tests/aggregated.h \
  tests/arrow_data.c tests/arrow_data.h \
  tests/backend.c tests/backend.h \
  tests/bit_columns.c tests/bit_columns.h \
  tests/conditions.c tests/conditions.h \
  tests/data.c tests/data.h \
  tests/element.c tests/element.h \
  tests/keyed_columns.c tests/keyed_columns.h \
  tests/mixed.c tests/mixed.h \
  tests/multiset.c tests/multiset.h \
  tests/oracle.c tests/oracle.h \
  tests/packed_strings.c tests/packed_strings.h \
  tests/parted.c tests/parted.h \
  tests/piped.c tests/piped.h \
  tests/records.c tests/records.h \
  tests/reduced.h \
  tests/reductions.c tests/reductions.h \
  tests/region.c tests/region.h \
  tests/report.c tests/report.h \
  tests/rules.c tests/rules.h \
  tests/runs.c tests/runs.h \
  tests/segmented.c tests/segmented.h \
  tests/out_like.h \
  tests/selected.c tests/selected.h \
  tests/strategies.h \
  tests/table.c tests/table.h \
  tests/texts.c tests/texts.h \
  tests/trial.c tests/trial.h \
  tests/wides.c tests/wides.h
scenario_sources = \
  tests/scenario/copies.c \
  tests/scenario/keyed.c \
  tests/scenario/objects.c \
  tests/scenario/pipes.c \
  tests/scenario/scenario.c tests/scenario/scenario.h \
  tests/scenario/selections.c \
  tests/scenario/tables.c
support_sources += $(scenario_sources)
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

# The caller's environment, likewise.
check_PROGRAMS += tests/test_environment
TESTS += tests/test_environment
tests_test_environment_CPPFLAGS = $(tests_cppflags)
tests_test_environment_CFLAGS = $(tests_cflags)
tests_test_environment_SOURCES = tests/test_environment.c
tests_test_environment_LDADD = $(tests_ldadd)

# Threads of the caller's.
check_PROGRAMS += tests/test_threads
TESTS += tests/test_threads
tests_test_threads_CPPFLAGS = $(tests_cppflags)
tests_test_threads_CFLAGS = $(tests_cflags)
tests_test_threads_SOURCES = tests/test_threads.c
tests_test_threads_LDADD = $(tests_ldadd)

# A program of an older version, and one of a later.
check_PROGRAMS += tests/test_old_program
TESTS += tests/test_old_program
tests_test_old_program_CPPFLAGS = -I$(top_srcdir)/tests
tests_test_old_program_CFLAGS = $(AM_CFLAGS)
tests_test_old_program_SOURCES = tests/abi/winnow_0_1_0.h \
  tests/test_old_program.c
tests_test_old_program_LDADD = libwinnow.la

# Fuzzers, without libFuzzer.
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/tuning.c
fuzz_sources = tests/fuzz/driver.c tests/fuzz/fuzz.h
check_PROGRAMS += tests/fuzz/arrow tests/fuzz/calls tests/fuzz/condition
TESTS += tests/fuzz/check
dist_check_SCRIPTS += tests/fuzz/check
tests_fuzz_arrow_CPPFLAGS = $(tests_cppflags)
tests_fuzz_arrow_SOURCES = tests/fuzz/arrow.c $(fuzz_sources)
tests_fuzz_arrow_LDADD = $(tests_ldadd)
tests_fuzz_calls_CPPFLAGS = $(tests_cppflags)
tests_fuzz_calls_SOURCES = tests/fuzz/calls.c $(fuzz_sources)
tests_fuzz_calls_LDADD = $(tests_ldadd)
tests_fuzz_condition_CPPFLAGS = $(tests_cppflags)
tests_fuzz_condition_SOURCES = tests/fuzz/condition.c tests/fuzz/fields.c \
  tests/fuzz/fields.h $(fuzz_sources)
tests_fuzz_condition_LDADD = $(tests_ldadd)

# Expressions: what is not exported.
check_PROGRAMS += tests/test_expression
TESTS += tests/test_expression
tests_test_expression_CPPFLAGS = $(tests_cppflags) -I$(top_srcdir) \
  -I$(top_srcdir)/lib
tests_test_expression_CFLAGS = $(tests_cflags)
tests_test_expression_SOURCES = tests/formulas.c tests/formulas.h \
  tests/narrow.c tests/narrow.h tests/test_expression.c
tests_test_expression_LDADD = tests/libsupport.la libwinnow_internal.la \
  $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE) -lm

check_PROGRAMS += tests/test_expression_text
TESTS += tests/test_expression_text
tests_test_expression_text_CPPFLAGS = $(tests_test_expression_CPPFLAGS)
tests_test_expression_text_CFLAGS = $(tests_cflags)
tests_test_expression_text_SOURCES = tests/formulas.c tests/formulas.h \
  tests/test_expression_text.c
tests_test_expression_text_LDADD = $(tests_test_expression_LDADD)

check_PROGRAMS += tests/test_scanner
TESTS += tests/test_scanner
tests_test_scanner_CPPFLAGS = $(tests_test_expression_CPPFLAGS)
tests_test_scanner_CFLAGS = $(tests_cflags)
tests_test_scanner_SOURCES = tests/test_scanner.c
tests_test_scanner_LDADD = $(tests_test_expression_LDADD)

# Texts for the parser; more of them by tools/soak.
check_PROGRAMS += tests/fuzz_text
TESTS += tests/fuzz_text
tests_fuzz_text_CPPFLAGS = $(tests_cppflags)
tests_fuzz_text_CFLAGS = $(tests_cflags)
tests_fuzz_text_SOURCES = tests/fuzz_text.c tests/fuzz/fields.c \
  tests/fuzz/fields.h
tests_fuzz_text_LDADD = $(tests_ldadd)

if WITH_CUDA
tests_libsupport_la_SOURCES += $(gpu_support_sources)
tests_ldadd += $(CUDART_LIBS)
endif
# After the libraries that call it.
tests_ldadd += -lm

# The rooms of lib/ and kernels/ include, and need, what they may.
TESTS += tests/check-rooms tests/check-walls tests/check-scenario tests/check-abi tests/check-open
dist_check_SCRIPTS += tests/check-rooms tests/check-walls tests/check-scenario tests/check-abi tests/check-open
EXTRA_DIST += tests/libwinnow.abi tests/libwinnow-mpi.abi tests/libwinnow-nccl.abi

# Tests of every backend there is; of the host alone; and of a GPU alone, some of
# which look inside of the library.
any_tests = tests/suite.h bench/fit.c bench/fit.h \
  tests/test_accumulate_by_key.c \
  tests/arrow_batch.c tests/arrow_batch.h \
  tests/test_arrow.c \
  tests/test_arrow_device.c \
  tests/test_arrow_device_stream.c \
  tests/test_arrow_malformed.c \
  tests/test_arrow_stream.c \
  tests/test_bits.c \
  tests/test_bounds.c \
  tests/test_capacity.c \
  tests/test_columns.c \
  tests/test_compact.c \
  tests/test_concurrency.c \
  tests/test_condition.c \
  tests/test_condition_programs.c \
  tests/test_condition_mixed.c \
  tests/test_condition_strings.c \
  tests/test_copy_if.c \
  tests/test_dates.c \
  tests/test_copy_index_if.c \
  tests/test_copy_where.c \
  tests/test_copy_where_nulls.c \
  tests/test_count.c \
  tests/test_errors.c \
  tests/test_expand.c \
  tests/test_fewer_items.c \
  tests/test_fill_holes.c \
  tests/test_fit.c \
  tests/test_host_in_place.c \
  tests/test_in_place.c \
  tests/test_launch.c \
  tests/test_one_shot.c \
  tests/test_one_shot_runs.c \
  tests/test_pipe.c \
  tests/test_parse.c \
  tests/test_parse_arithmetic.c \
  tests/test_parse_comments.c \
  tests/test_parse_exact.c \
  tests/test_parse_parentheses.c \
  tests/test_parse_numbers.c \
  tests/test_parse_random.c \
  tests/write_nulls.c tests/write_numbers.c tests/write_strings.c \
  tests/write_wides.c tests/writer.c tests/writer.h \
  tests/test_partition_by_key.c \
  tests/test_partition_large.c \
  tests/test_quotients.c \
  tests/test_reduce_if.c \
  tests/test_reduce_where.c \
  tests/test_reduction_merge.c \
  tests/test_segments.c \
  tests/test_select.c \
  tests/test_select_unique.c \
  tests/test_selection.c \
  tests/test_set.c \
  tests/test_sizes.c \
  tests/test_ranges.c \
  tests/test_strings.c \
  tests/test_hostile_strings.c \
  tests/test_many_strings.c \
  tests/test_wrong_strings.c
host_only_tests = \
  tests/test_condition_bounds.c \
  tests/test_condition_cuda.c \
  tests/failing_malloc.c tests/failing_malloc.h \
  tests/test_faults.c \
  tests/test_floating.c \
  tests/test_formats.c \
  tests/test_host.c \
  tests/test_host_sinks.c \
  tests/test_no_memory.c \
  tests/test_predicate.c \
  tests/test_small_stack.c \
  tests/test_status.c \
  tests/test_types.c \
  tests/test_wide.c
gpu_only_tests = tests/suite.h \
  tests/accumulate_ways.c tests/accumulate_ways.h \
  tests/cut.c tests/cut.h \
  tests/mapping.c tests/mapping.h \
  tests/part.c tests/part.h \
  tests/profile.c tests/profile.h \
  tests/test_accumulate_ways.c \
  tests/test_code_cache.c \
  tests/test_device.c \
  tests/test_graph.c \
  tests/test_host_stream.c \
  tests/test_keyed_columns.c \
  tests/test_memory.c \
  tests/test_one_wave.c \
  tests/test_order.c \
  tests/test_part.c \
  tests/test_partition_if.c \
  tests/test_primitives.c \
  tests/test_random.c \
  tests/test_records.c \
  tests/test_segmented.c \
  tests/test_selection_scan.c \
  tests/formulas.c tests/formulas.h \
  tests/placed.c tests/placed.h \
  tests/set_trees.c tests/set_trees.h \
  tests/test_set_table.c \
  tests/test_find.c \
  tests/test_text_list.c \
  tests/test_slot.c \
  tests/test_software_atomic.c \
  tests/test_staging.c \
  tests/test_tiles.c \
  tests/test_tuning.c \
  tests/test_unique.c \
  tests/test_reduce_values.c \
  tests/test_where_sets.c \
  tests/test_where_strings.c \
  tests/test_where_values.c

if HAVE_CRITERION
check_PROGRAMS += tests/host_tests
TESTS += tests/host_tests
tests_criterion_cflags = $(tests_cflags) $(CRITERION_CFLAGS)
tests_criterion_ldadd = $(tests_ldadd) $(CRITERION_LIBS)

tests_host_tests_CPPFLAGS = $(tests_cppflags) -I$(top_srcdir)
tests_host_tests_CFLAGS = $(tests_criterion_cflags)
tests_host_tests_SOURCES = tests/runner.c $(any_tests) $(host_only_tests)
tests_host_tests_LDADD = $(tests_criterion_ldadd)

if WITH_CUDA
check_PROGRAMS += tests/gpu_tests tests/test_huge
TESTS += tests/gpu_tests tests/test_huge

# Linked with all of the library, for what is not exported; and with kernels of
# the tests' own, whose launch stubs refer to the guards of the C++ runtime.
check_LTLIBRARIES += tests/libkernels.la tests/libhuge.la
tests_libkernels_la_SOURCES = tests/occupy.cu tests/occupy.h \
  tests/primitives.cu tests/primitives.h
tests_libhuge_la_SOURCES = tests/huge.cu tests/huge.h
-include $(wildcard tests/$(DEPDIR)/*.cu.d)
tests_gpu_tests_CPPFLAGS = $(tests_cppflags) -I$(top_srcdir) -I$(top_srcdir)/lib
tests_gpu_tests_CFLAGS = $(tests_criterion_cflags)
tests_gpu_tests_SOURCES = tests/runner.c $(gpu_only_tests) bench/fit.c bench/fit.h
tests_gpu_tests_LDADD = tests/libkernels.la tests/libsupport.la \
  libwinnow_internal.la $(CUDART_LIBS) $(CRITERION_LIBS) \
  $(WINNOW_CXX_PRIVATE) -lsupc++ -lm

# On its own: it takes most of a GPU's memory.
tests_test_huge_CPPFLAGS = $(tests_cppflags)
tests_test_huge_CFLAGS = $(tests_criterion_cflags)
tests_test_huge_SOURCES = tests/test_huge.c tests/runner.c tests/suite.h
tests_test_huge_LDADD = tests/libhuge.la $(tests_criterion_ldadd) -lsupc++
endif
else
TESTS += tests/criterion-is-missing
endif
EXTRA_DIST += tests/criterion-is-missing
