# SPDX-License-Identifier: Apache-2.0
# Three programs have the tests of Criterion: tests/host_tests, tests/gpu_tests
# and tests/simt/device_tests, each with a list of its own below or beside it.
# What all tests share is compiled once.
tests_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir) \
  $(CUDA_CPPFLAGS)
tests_cflags = $(AM_CFLAGS) -pthread

check_LTLIBRARIES += tests/libsupport.la
tests_libsupport_la_CPPFLAGS = $(tests_cppflags)
tests_libsupport_la_CFLAGS = $(tests_cflags)
calls_sources = \
  tests/calls/arrays.c \
  tests/calls/calls.h \
  tests/calls/keyed.c \
  tests/calls/one_call.c \
  tests/calls/sinks.c \
  tests/calls/sources.c \
  tests/calls/table.c
support_sources = \
  tests/backend.c tests/backend.h \
  $(calls_sources) tests/calls/draw.c \
  tests/calls/memory.c tests/calls/memory.h \
  tests/conditions.c tests/conditions.h \
  tests/data.c tests/data.h \
  tests/element.c tests/element.h \
  tests/multiset.c tests/multiset.h \
  tests/oracle.c tests/oracle.h \
  tests/out_like.h \
  tests/reduced.h \
  tests/region.c tests/region.h \
  tests/report.c tests/report.h \
  tests/rules.c tests/rules.h \
  tests/selected.c tests/selected.h \
  tests/strategies.h \
  tests/table.c tests/table.h \
  tests/tasks.c tests/tasks.h \
  tests/trial.c tests/trial.h \
  tests/accumulate/accumulated.c tests/accumulate/accumulated.h \
  tests/aggregate/aggregated.c tests/aggregate/aggregated.h \
  tests/arrow/arrow_data.c tests/arrow/arrow_data.h \
  tests/condition/mixed.c tests/condition/mixed.h \
  tests/condition/wides.c tests/condition/wides.h \
  tests/one_call/keyed_columns.c tests/one_call/keyed_columns.h \
  tests/one_call/parted.c tests/one_call/parted.h \
  tests/one_call/records.c tests/one_call/records.h \
  tests/one_call/runs.c tests/one_call/runs.h \
  tests/one_call/segmented.c tests/one_call/segmented.h \
  tests/pack/bit_columns.c tests/pack/bit_columns.h \
  tests/pack/packed_strings.c tests/pack/packed_strings.h \
  tests/pipe/piped.c tests/pipe/piped.h \
  tests/reduce/reductions.c tests/reduce/reductions.h \
  tests/string/texts.c tests/string/texts.h
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
check_PROGRAMS += tests/expression/test_expression
TESTS += tests/expression/test_expression
tests_expression_test_expression_CPPFLAGS = $(tests_cppflags) \
  -I$(top_srcdir)/lib
tests_expression_test_expression_CFLAGS = $(tests_cflags)
tests_expression_test_expression_SOURCES = \
  tests/expression/formulas.c tests/expression/formulas.h \
  tests/expression/narrow.c tests/expression/narrow.h \
  tests/expression/test_expression.c
tests_expression_test_expression_LDADD = tests/libsupport.la \
  libwinnow_internal.la \
  $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE) -lm

check_PROGRAMS += tests/expression/test_expression_text
TESTS += tests/expression/test_expression_text
tests_expression_test_expression_text_CPPFLAGS = \
  $(tests_expression_test_expression_CPPFLAGS)
tests_expression_test_expression_text_CFLAGS = $(tests_cflags)
tests_expression_test_expression_text_SOURCES = \
  tests/expression/formulas.c tests/expression/formulas.h \
  tests/expression/test_expression_text.c
tests_expression_test_expression_text_LDADD = \
  $(tests_expression_test_expression_LDADD)

check_PROGRAMS += tests/condition/test_scanner
TESTS += tests/condition/test_scanner
tests_condition_test_scanner_CPPFLAGS = \
  $(tests_expression_test_expression_CPPFLAGS)
tests_condition_test_scanner_CFLAGS = $(tests_cflags)
tests_condition_test_scanner_SOURCES = tests/condition/test_scanner.c
tests_condition_test_scanner_LDADD = $(tests_expression_test_expression_LDADD)

# Texts for the parser; more of them by tools/soak.
check_PROGRAMS += tests/fuzz/fuzz_text
TESTS += tests/fuzz/fuzz_text
tests_fuzz_fuzz_text_CPPFLAGS = $(tests_cppflags)
tests_fuzz_fuzz_text_CFLAGS = $(tests_cflags)
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/fields.c \
  tests/fuzz/fields.h
tests_fuzz_fuzz_text_LDADD = $(tests_ldadd)

if WITH_CUDA
tests_libsupport_la_SOURCES += $(gpu_support_sources)
tests_ldadd += $(CUDART_LIBS)
endif
# After the libraries that call it.
tests_ldadd += -lm

# The rooms of lib/ and kernels/ include, and need, what they may.
tree_checks = tests/check-rooms tests/check-walls tests/check-scenario \
  tests/check-lists tests/check-abi tests/check-open
TESTS += $(tree_checks)
dist_check_SCRIPTS += $(tree_checks)
EXTRA_DIST += tests/libwinnow.abi tests/libwinnow-mpi.abi tests/libwinnow-nccl.abi

# Tests of every backend there is; of the host alone; and of a GPU alone, some of
# which look inside of the library.
any_tests = tests/suite.h bench/fit.c bench/fit.h \
  tests/test_bounds.c \
  tests/test_concurrency.c \
  tests/test_errors.c \
  tests/test_fewer_items.c \
  tests/test_launch.c \
  tests/accumulate/test_accumulate_by_key.c \
  tests/aggregate/test_reduce_where.c \
  tests/arrow/arrow_batch.c tests/arrow/arrow_batch.h \
  tests/arrow/test_arrow.c \
  tests/arrow/test_arrow_device.c \
  tests/arrow/test_arrow_device_stream.c \
  tests/arrow/test_arrow_malformed.c \
  tests/arrow/test_arrow_stream.c \
  tests/auto/test_fit.c \
  tests/condition/test_condition.c \
  tests/condition/test_condition_mixed.c \
  tests/condition/test_condition_programs.c \
  tests/condition/test_condition_strings.c \
  tests/condition/test_copy_where.c \
  tests/condition/test_copy_where_nulls.c \
  tests/condition/test_dates.c \
  tests/condition/test_parse.c \
  tests/condition/test_parse_arithmetic.c \
  tests/condition/test_parse_comments.c \
  tests/condition/test_parse_exact.c \
  tests/condition/test_parse_numbers.c \
  tests/condition/test_parse_parentheses.c \
  tests/condition/test_parse_random.c \
  tests/condition/write_nulls.c \
  tests/condition/write_numbers.c \
  tests/condition/write_strings.c \
  tests/condition/write_wides.c \
  tests/condition/writer.c tests/condition/writer.h \
  tests/copy/test_capacity.c \
  tests/copy/test_copy_if.c \
  tests/copy/test_copy_index_if.c \
  tests/copy/test_count.c \
  tests/copy/test_in_place.c \
  tests/copy/test_sizes.c \
  tests/expression/decimals.c tests/expression/decimals.h \
  tests/expression/decimal_formulas.c tests/expression/decimal_formulas.h \
  tests/expression/decimal_floats.c \
  tests/expression/test_decimals.c \
  tests/expression/test_quotients.c \
  tests/one_call/test_one_call.c \
  tests/one_call/test_one_call_runs.c \
  tests/pack/test_bits.c \
  tests/pack/test_columns.c \
  tests/pack/test_compact.c \
  tests/pack/test_expand.c \
  tests/pack/test_fill.c \
  tests/pack/test_fill_holes.c \
  tests/pack/test_host_in_place.c \
  tests/pack/test_segments.c \
  tests/pack/test_strings.c \
  tests/partition/test_partition_blocks.c \
  tests/partition/test_partition_by_key.c \
  tests/partition/test_partition_large.c \
  tests/pipe/test_pipe.c \
  tests/reduce/test_reduce_if.c \
  tests/reduce/test_reduction_merge.c \
  tests/select/test_ranges.c \
  tests/select/test_select.c \
  tests/select/test_select_unique.c \
  tests/selection/test_selection.c \
  tests/set/test_set.c \
  tests/string/test_hostile_strings.c \
  tests/string/test_many_strings.c \
  tests/string/test_wrong_strings.c
host_only_tests = \
  tests/failing_malloc.c tests/failing_malloc.h \
  tests/test_faults.c \
  tests/test_no_memory.c \
  tests/test_small_stack.c \
  tests/test_types.c \
  tests/condition/test_condition_bounds.c \
  tests/condition/test_condition_cuda.c \
  tests/condition/test_formats.c \
  tests/condition/test_wide.c \
  tests/core/test_predicate.c \
  tests/core/test_status.c \
  tests/host/test_floating.c \
  tests/host/test_host.c \
  tests/pack/test_host_sinks.c
gpu_only_tests = tests/suite.h \
  tests/cut.c tests/cut.h \
  tests/test_random.c \
  tests/accumulate/accumulate_ways.c tests/accumulate/accumulate_ways.h \
  tests/accumulate/test_accumulate_ways.c \
  tests/aggregate/test_reduce_values.c \
  tests/auto/profile.c tests/auto/profile.h \
  tests/auto/test_tuning.c \
  tests/condition/set_trees.c tests/condition/set_trees.h \
  tests/condition/test_code_cache.c \
  tests/condition/test_where_sets.c \
  tests/condition/test_where_strings.c \
  tests/copy/test_software_atomic.c \
  tests/core/test_primitives.c \
  tests/core/test_slot.c \
  tests/cuda/mapping.c tests/cuda/mapping.h \
  tests/cuda/part.c tests/cuda/part.h \
  tests/cuda/test_device.c \
  tests/cuda/test_graph.c \
  tests/cuda/test_memory.c \
  tests/cuda/test_order.c \
  tests/cuda/test_part.c \
  tests/expression/formulas.c tests/expression/formulas.h \
  tests/expression/placed.c tests/expression/placed.h \
  tests/expression/test_where_values.c \
  tests/host/test_host_stream.c \
  tests/one_call/test_keyed_columns.c \
  tests/one_call/test_partition_if.c \
  tests/one_call/test_records.c \
  tests/one_call/test_segmented.c \
  tests/one_call/test_unique.c \
  tests/selection/test_selection_scan.c \
  tests/set/test_set_table.c \
  tests/string/test_find.c \
  tests/string/test_text_list.c \
  tests/tile/test_one_wave.c \
  tests/tile/test_staging.c \
  tests/tile/test_tiles.c

if HAVE_CRITERION
check_PROGRAMS += tests/host_tests
TESTS += tests/host_tests
tests_criterion_cflags = $(tests_cflags) $(CRITERION_CFLAGS)
tests_criterion_ldadd = $(tests_ldadd) $(CRITERION_LIBS)

tests_host_tests_CPPFLAGS = $(tests_cppflags)
tests_host_tests_CFLAGS = $(tests_criterion_cflags)
tests_host_tests_SOURCES = tests/runner.c $(any_tests) $(host_only_tests)
tests_host_tests_LDADD = $(tests_criterion_ldadd)

if WITH_CUDA
check_PROGRAMS += tests/gpu_tests tests/copy/test_huge
TESTS += tests/gpu_tests tests/copy/test_huge

# Linked with all of the library, for what is not exported; and with kernels of
# the tests' own, whose launch stubs refer to the guards of the C++ runtime.
check_LTLIBRARIES += tests/libkernels.la tests/libhuge.la
tests_libkernels_la_SOURCES = tests/tile/occupy.cu tests/tile/occupy.h \
  tests/core/primitives.cu tests/core/primitives.h
tests_libhuge_la_SOURCES = tests/copy/huge.cu tests/copy/huge.h
-include $(wildcard tests/*/$(DEPDIR)/*.cu.d)
tests_gpu_tests_CPPFLAGS = $(tests_cppflags) -I$(top_srcdir)/lib
tests_gpu_tests_CFLAGS = $(tests_criterion_cflags)
tests_gpu_tests_SOURCES = tests/runner.c $(gpu_only_tests) bench/fit.c bench/fit.h
tests_gpu_tests_LDADD = tests/libkernels.la tests/libsupport.la \
  libwinnow_internal.la $(CUDART_LIBS) $(CRITERION_LIBS) \
  $(WINNOW_CXX_PRIVATE) -lsupc++ -lm

# On its own: it takes most of a GPU's memory.
tests_copy_test_huge_CPPFLAGS = $(tests_cppflags)
tests_copy_test_huge_CFLAGS = $(tests_criterion_cflags)
tests_copy_test_huge_SOURCES = tests/copy/test_huge.c tests/runner.c tests/suite.h
tests_copy_test_huge_LDADD = tests/libhuge.la $(tests_criterion_ldadd) -lsupc++
endif
else
TESTS += tests/criterion-is-missing
endif
EXTRA_DIST += tests/criterion-is-missing
