# SPDX-License-Identifier: Apache-2.0
# The CPU device: the library's CUDA backend and its kernels, and the tests of
# both, on a machine without a GPU, and without CUDA.
EXTRA_DIST += \
  tests/simt/example.hpp \
  tests/simt/include/cooperative_groups.h \
  tests/simt/include/cuda.h \
  tests/simt/include/cudaTypedefs.h \
  tests/simt/include/cuda_runtime_api.h \
  tests/simt/include/nccl.h \
  tests/simt/plain/criterion/criterion.h \
  tests/simt/plain/runner.c \
  tests/simt/sabotage \
  tests/simt/README.md tests/simt/soak/README.md \
  tests/simt/soak/kernels

simt_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/lib \
  -I$(top_srcdir)/tests -I$(top_srcdir)/tests/simt/include \
  -DWINNOW_CUDA=1 -DWINNOW_SIMT=1
# What the detectors look at: all but the machine itself.
simt_cflags = $(AM_CFLAGS) -pthread $(SIMT_DETECTOR_CFLAGS)
simt_cxxflags = -std=c++17 -pthread $(SIMT_DETECTOR_CFLAGS)
# Kernels are compiled for a test, in half of the time of -O2; with a detector, which
# makes -O1 slow, in half of that by -Og.
simt_kernel_cxxflags = $(if $(SIMT_DETECTOR_CFLAGS),-Og,-O1) -g1 \
  -Wno-unknown-pragmas

# What the short set of tests does not run is built when it is run.
simt_long_programs =
$(patsubst %,tests/simt/%.log,experiments soak/check): \
  $(if $(filter all,$(WINNOW_TESTS)),$(simt_long_programs))

if HAVE_SIMT
check_LTLIBRARIES += tests/simt/libmachine.la tests/simt/libdevice.la \
  tests/simt/libwinnow.la tests/simt/libsupport.la

tests_simt_libmachine_la_CPPFLAGS = $(simt_cppflags) $(SIMT_DETECTOR_CPPFLAGS)
tests_simt_libmachine_la_CXXFLAGS = -std=c++20 -pthread -g $(WARN_CXXFLAGS)
tests_simt_libmachine_la_SOURCES = \
  tests/simt/allocations.cc \
  tests/simt/block.cc \
  tests/simt/bulk.cc \
  tests/simt/calls.cc \
  tests/simt/cluster.cc \
  tests/simt/device.hpp \
  tests/simt/devices.cc \
  tests/simt/kernel.hpp \
  tests/simt/launches.cc \
  tests/simt/libraries.cc \
  tests/simt/machine.cc tests/simt/machine.hpp \
  tests/simt/memory.cc tests/simt/memory.hpp \
  tests/simt/nccl.cc \
  tests/simt/order.cc tests/simt/order.hpp \
  tests/simt/port.hpp \
  tests/simt/random.hpp \
  tests/simt/reduce_parts.h \
  tests/simt/report.cc tests/simt/report.hpp \
  tests/simt/runtime.hpp \
  tests/simt/simt.h \
  tests/simt/streams.cc \
  tests/simt/tally.cc tests/simt/tally.hpp \
  tests/simt/warp.cc \
  tests/simt/words.cc \
  tests/simt/work.cc

# Kernels of the tests' own.
tests_simt_libdevice_la_CPPFLAGS = $(simt_cppflags)
tests_simt_libdevice_la_CXXFLAGS = $(simt_cxxflags)
tests_simt_libdevice_la_SOURCES = tests/simt/cub_scan.cc

# The library's, each from its own source.
simt_kernels = $(patsubst %.cu,tests/simt/%.o, \
  $(filter-out kernels/copy/cub_scan.cu,$(filter %.cu,$(kernel_sources))))
CLEANFILES += tests/simt/*.o tests/simt/*.simt.d \
  tests/simt/*/*.o tests/simt/*/*.simt.d \
  tests/simt/kernels/*/*.o tests/simt/kernels/*/*.simt.d \
  tests/simt/kernels/*/*/*.o tests/simt/kernels/*/*/*.simt.d
AM_V_SIMT = $(am__v_SIMT_@AM_V@)
am__v_SIMT_ = $(am__v_SIMT_@AM_DEFAULT_V@)
am__v_SIMT_0 = @echo "  SIMT    " $@;
am__v_SIMT_1 =
tests/simt/kernels/%.o: $(top_srcdir)/kernels/%.cu
	@$(MKDIR_P) $(@D)
	$(AM_V_SIMT)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(simt_cppflags) \
	  $(CPPFLAGS) $(simt_cxxflags) $(CXXFLAGS) $(simt_kernel_cxxflags) \
	  -MD -MP -MF $(@:.o=.simt.d) -x c++ -c -o $@ $<
# And the tests' own.
tests/simt/%.o: $(top_srcdir)/tests/%.cu
	@$(MKDIR_P) $(@D)
	$(AM_V_SIMT)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(simt_cppflags) \
	  $(CPPFLAGS) $(simt_cxxflags) $(CXXFLAGS) $(simt_kernel_cxxflags) \
	  -MD -MP -MF $(@:.o=.simt.d) -x c++ -c -o $@ $<
-include $(wildcard tests/simt/*.simt.d tests/simt/*/*.simt.d \
  tests/simt/kernels/*/*.simt.d tests/simt/kernels/*/*/*.simt.d)

tests_simt_libwinnow_la_CPPFLAGS = $(simt_cppflags) -include config.h
tests_simt_libwinnow_la_CFLAGS = $(simt_cflags) -pthread
tests_simt_libwinnow_la_SOURCES = $(library_sources) $(cuda_sources)
tests_simt_libwinnow_la_LIBADD = $(host_loops)

tests_simt_libsupport_la_CPPFLAGS = $(simt_cppflags)
tests_simt_libsupport_la_CFLAGS = $(simt_cflags)
tests_simt_libsupport_la_SOURCES = $(support_sources) $(gpu_support_sources)

# libwinnow-nccl and its kernels, over NCCL's double, and what its tests share.
check_LTLIBRARIES += tests/simt/libnccl.la
tests_simt_libnccl_la_CPPFLAGS = $(simt_cppflags) -include config.h
tests_simt_libnccl_la_CFLAGS = $(simt_cflags)
tests_simt_libnccl_la_SOURCES = $(nccl_sources) $(ranks_sources) \
  tests/simt/nccl_process.c tests/simt/nccl_process.h \
  tests/nccl/balance.c tests/nccl/ranked.c tests/nccl/ranked.h \
  tests/nccl/reduce.c
simt_nccl_kernels = $(patsubst %.cu,tests/simt/%.o, \
  $(filter %.cu,$(nccl_kernel_sources)))

simt_ldadd = tests/simt/libsupport.la tests/simt/libwinnow.la \
  tests/simt/libdevice.la $(simt_kernels) tests/simt/tile/occupy.o \
  tests/simt/core/primitives.o \
  tests/simt/libmachine.la -lboost_context -ldl -lm
simt_ldflags = -pthread $(SIMT_DETECTOR_CFLAGS) -export-dynamic

# NVRTC's double: it compiles for the CPU device. A module, which a test names.
check_LTLIBRARIES += tests/simt/nvrtc.la
tests_simt_nvrtc_la_CPPFLAGS = $(simt_cppflags) \
  -DSIMT_COMPILER='"$(CXX) $(simt_cxxflags) -O1 -ffp-contract=off -w -fPIC -shared \
  -DWINNOW_SIMT=1 -I$(abs_top_srcdir) -I$(abs_top_srcdir)/tests \
  -I$(abs_top_srcdir)/tests/simt/include"'
tests_simt_nvrtc_la_CFLAGS = $(simt_cflags)
tests_simt_nvrtc_la_SOURCES = tests/simt/nvrtc.c
tests_simt_nvrtc_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

check_PROGRAMS += tests/simt/test_reduced
tests_simt_test_reduced_CPPFLAGS = $(simt_cppflags)
tests_simt_test_reduced_CFLAGS = $(simt_cflags)
tests_simt_test_reduced_SOURCES = tests/test_reduced.c
nodist_EXTRA_tests_simt_test_reduced_SOURCES = tests/simt/any.cc
tests_simt_test_reduced_LDFLAGS = $(simt_ldflags)
tests_simt_test_reduced_LDADD = $(simt_ldadd)

check_PROGRAMS += tests/simt/test_environment
TESTS += tests/simt/test_environment
tests_simt_test_environment_CPPFLAGS = $(simt_cppflags)
tests_simt_test_environment_CFLAGS = $(simt_cflags)
tests_simt_test_environment_SOURCES = tests/test_environment.c
nodist_EXTRA_tests_simt_test_environment_SOURCES = tests/simt/any.cc
tests_simt_test_environment_LDFLAGS = $(simt_ldflags)
tests_simt_test_environment_LDADD = $(simt_ldadd)

check_PROGRAMS += tests/simt/fuzz_tuning
tests_simt_fuzz_tuning_CPPFLAGS = $(simt_cppflags)
tests_simt_fuzz_tuning_CFLAGS = $(simt_cflags)
tests_simt_fuzz_tuning_SOURCES = tests/fuzz/tuning.c $(fuzz_sources)
nodist_EXTRA_tests_simt_fuzz_tuning_SOURCES = tests/simt/any.cc
tests_simt_fuzz_tuning_LDFLAGS = $(simt_ldflags)
tests_simt_fuzz_tuning_LDADD = $(simt_ldadd)

# What the detectors must find.
check_PROGRAMS += tests/simt/faulty
TESTS += tests/simt/detectors
dist_check_SCRIPTS += tests/simt/detectors
tests_simt_faulty_CPPFLAGS = $(simt_cppflags)
tests_simt_faulty_CXXFLAGS = $(simt_cxxflags)
tests_simt_faulty_SOURCES = tests/simt/faulty.cc
tests_simt_faulty_LDFLAGS = $(simt_ldflags)
tests_simt_faulty_LDADD = tests/simt/libmachine.la -lboost_context -ldl

# The examples for a GPU. C++ has no <<<>>>: a launch is rewritten as a call.
simt_examples = tests/simt/gpu_particles tests/simt/gpu_string_match \
  tests/simt/gpu_k_means tests/simt/gpu_experts
check_PROGRAMS += $(simt_examples)
TESTS += $(simt_examples)
tests/simt/example_%.o: $(top_srcdir)/examples/%.cu tests/simt/example.hpp
	@$(MKDIR_P) tests/simt
	$(AM_V_GEN)sed -e 's/\([a-z_]*\)<<<\(.*\)>>>(/simt::launch(\1, \2, /' \
	  $< >$(@:.o=.simt.cc)
	$(AM_V_SIMT)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(simt_cppflags) \
	  $(CPPFLAGS) $(simt_cxxflags) $(CXXFLAGS) $(simt_kernel_cxxflags) \
	  -include simt/example.hpp \
	  -MD -MP -MF $(@:.o=.simt.d) -c -o $@ $(@:.o=.simt.cc)
CLEANFILES += tests/simt/*.simt.cc
tests_simt_gpu_particles_CPPFLAGS = $(simt_cppflags)
tests_simt_gpu_particles_CFLAGS = $(simt_cflags)
tests_simt_gpu_particles_SOURCES = examples/gpu_particles.c
nodist_EXTRA_tests_simt_gpu_particles_SOURCES = tests/simt/any.cc
tests_simt_gpu_particles_LDFLAGS = $(simt_ldflags)
tests_simt_gpu_particles_LDADD = $(simt_ldadd)
tests_simt_gpu_string_match_SOURCES =
nodist_EXTRA_tests_simt_gpu_string_match_SOURCES = tests/simt/any.cc
tests_simt_gpu_string_match_LDFLAGS = $(simt_ldflags)
tests_simt_gpu_string_match_LDADD = tests/simt/example_gpu_string_match.o \
  $(simt_ldadd)
tests_simt_gpu_k_means_SOURCES =
nodist_EXTRA_tests_simt_gpu_k_means_SOURCES = tests/simt/any.cc
tests_simt_gpu_k_means_LDFLAGS = $(simt_ldflags)
tests_simt_gpu_k_means_LDADD = tests/simt/example_gpu_k_means.o $(simt_ldadd)
tests_simt_gpu_experts_SOURCES =
nodist_EXTRA_tests_simt_gpu_experts_SOURCES = tests/simt/any.cc
tests_simt_gpu_experts_LDFLAGS = $(simt_ldflags)
tests_simt_gpu_experts_LDADD = tests/simt/example_gpu_experts.o $(simt_ldadd)

if HAVE_BENCH
# winnow-bench on the CPU device, for the experiments: their results are looked
# at, their times say nothing. Without OpenMP, which the detectors do not know.
EXTRA_PROGRAMS += tests/simt/winnow-bench
simt_long_programs += tests/simt/winnow-bench
TESTS += tests/simt/experiments
dist_check_SCRIPTS += tests/simt/experiments
simt_seed_kernels = $(patsubst bench/seeds/%.cu,tests/simt/seeds_%.o, \
  $(filter %.cu,$(bench_seed_kernels)))
tests/simt/seeds_%.o: $(top_srcdir)/bench/seeds/%.cu
	@$(MKDIR_P) tests/simt
	$(AM_V_SIMT)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(simt_cppflags) \
	  $(CPPFLAGS) $(simt_cxxflags) $(CXXFLAGS) $(simt_kernel_cxxflags) \
	  -MD -MP -MF $(@:.o=.simt.d) -x c++ -c -o $@ $<
tests_simt_winnow_bench_CPPFLAGS = $(simt_cppflags) -include config.h $(JANSSON_CFLAGS) \
  $(examples_cppflags)
tests_simt_winnow_bench_CFLAGS = $(simt_cflags) -Wno-unknown-pragmas
tests_simt_winnow_bench_SOURCES = tests/simt/bench_platform.c \
  bench/peer_none.c bench/selections/cub_none.c $(bench_sources) $(bench_seed_sources)
nodist_EXTRA_tests_simt_winnow_bench_SOURCES = tests/simt/any.cc
tests_simt_winnow_bench_LDFLAGS = $(simt_ldflags)
tests_simt_winnow_bench_LDADD = bench/libbenchstd.la $(simt_seed_kernels) \
  $(simt_ldadd) $(JANSSON_LIBS) $(ARGP_LIBS)
endif

if HAVE_PROGRAM
# winnow on the CPU device, for --device.
check_PROGRAMS += tests/simt/winnow
TESTS += tests/simt/check-winnow
dist_check_SCRIPTS += tests/simt/check-winnow
tests_simt_winnow_CPPFLAGS = $(simt_cppflags) $(JANSSON_CFLAGS)
tests_simt_winnow_CFLAGS = $(simt_cflags)
tests_simt_winnow_SOURCES = $(program_sources)
nodist_EXTRA_tests_simt_winnow_SOURCES = tests/simt/any.cc
tests_simt_winnow_LDFLAGS = $(simt_ldflags)
tests_simt_winnow_LDADD = $(simt_ldadd) $(JANSSON_LIBS) $(ARGP_LIBS)
endif

# Small calls under as many schedules as there is time for.
EXTRA_PROGRAMS += tests/simt/soak/schedules
simt_long_programs += tests/simt/soak/schedules
TESTS += tests/simt/soak/check
dist_check_SCRIPTS += tests/simt/soak/check
tests_simt_soak_schedules_CPPFLAGS = $(simt_cppflags) \
  -DSIMT_NVRTC='"$(abs_builddir)/tests/simt/.libs/nvrtc.so"'
EXTRA_tests_simt_soak_schedules_DEPENDENCIES = tests/simt/nvrtc.la
tests_simt_soak_schedules_CFLAGS = $(simt_cflags)
tests_simt_soak_schedules_SOURCES = \
  tests/accumulate/accumulate_ways.c tests/accumulate/accumulate_ways.h \
  tests/cut.c tests/cut.h \
  tests/auto/profile.c tests/auto/profile.h \
  tests/condition/set_trees.c tests/condition/set_trees.h \
  tests/simt/soak/bits.c \
  tests/simt/soak/calls.c \
  tests/simt/soak/conditions.c \
  tests/simt/soak/copies.c \
  tests/simt/soak/keyed.c \
  tests/simt/soak/large.c \
  tests/simt/soak/one_pass.c \
  tests/simt/soak/order.c \
  tests/simt/soak/ranks.c \
  tests/simt/soak/records.c \
  tests/simt/soak/reductions.c \
  tests/simt/soak/schedules.c \
  tests/simt/soak/selection.c \
  tests/simt/soak/soak.h
nodist_EXTRA_tests_simt_soak_schedules_SOURCES = tests/simt/any.cc
tests_simt_soak_schedules_LDFLAGS = $(simt_ldflags)
tests_simt_soak_schedules_LDADD = tests/simt/libnccl.la $(simt_nccl_kernels) \
  $(simt_ldadd)

if HAVE_DEVICE_TESTS
# All tests of the CUDA backend in one program.
check_PROGRAMS += tests/simt/device_tests
TESTS += tests/simt/check-nvrtc
dist_check_SCRIPTS += tests/simt/check-nvrtc
tests_simt_device_tests_CPPFLAGS = $(simt_runner_cppflags) $(simt_cppflags) \
  -DSIMT_NVRTC='"$(abs_builddir)/tests/simt/.libs/nvrtc.so"'
EXTRA_tests_simt_device_tests_DEPENDENCIES = tests/simt/nvrtc.la
tests_simt_device_tests_CFLAGS = $(simt_cflags) $(simt_runner_cflags)
tests_simt_device_tests_SOURCES = $(any_tests) $(gpu_only_tests) \
  tests/failing_malloc.c tests/failing_malloc.h \
  tests/test_faults.c \
  tests/cuda/test_backend.c \
  tests/cuda/test_capture.c \
  tests/cuda/test_occupancy.c \
  tests/cuda/test_plan.c \
  tests/cuda/test_reach.c \
  tests/simt/double.h \
  tests/simt/particles_nccl.c tests/simt/particles_nccl.h \
  tests/simt/test_accumulate.c \
  tests/simt/test_candidates.c \
  tests/simt/test_compiled.c \
  tests/simt/test_compiled_decimals.c \
  tests/simt/test_compiled_reduce.c \
  tests/simt/test_conditions.c \
  tests/simt/test_details.c \
  tests/simt/test_faults.c \
  tests/simt/test_nccl.c \
  tests/simt/test_one_call_schedules.c \
  tests/simt/test_one_pass_schedules.c \
  tests/simt/test_partition_tiles.c \
  tests/simt/test_pipe_schedules.c \
  tests/simt/test_placed.c \
  tests/simt/test_ready.c \
  tests/simt/test_resources.c \
  tests/simt/test_schedules.c \
  tests/simt/test_selections.c \
  tests/simt/test_set_tables.c \
  tests/simt/test_where_sets_schedules.c \
  tests/simt/where_lists.h
nodist_EXTRA_tests_simt_device_tests_SOURCES = tests/simt/any.cc
# tests/failing_malloc.c
tests_simt_device_tests_LDFLAGS = $(simt_ldflags) \
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
  -Wl,--wrap=posix_memalign,--wrap=strdup,--wrap=free
tests_simt_device_tests_LDADD = tests/simt/libnccl.la $(simt_nccl_kernels) \
  $(simt_ldadd) $(simt_runner_libs)
if SIMT_RACES
tests_simt_device_tests_SOURCES += tests/simt/plain/runner.c
simt_runner_cppflags = -I$(top_srcdir)/tests/simt/plain
else
tests_simt_device_tests_SOURCES += tests/runner.c
simt_runner_cflags = $(CRITERION_CFLAGS)
simt_runner_libs = $(CRITERION_LIBS)
endif
endif
endif
