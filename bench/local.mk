# SPDX-License-Identifier: Apache-2.0
# winnow-bench is installed. CUB and Thrust, which take minutes to compile, are in
# bench/winnow-bench-peers, the same program with them; `make bench` builds it.
EXTRA_DIST += bench/COMPILED.md bench/FIGURES.md bench/HOST.md bench/KEYED.md \
  bench/NOTES.md bench/PIPE.md bench/README.md bench/SCALE.md bench/SELECTIONS.md \
  bench/check-measure bench/check-options bench/check-regret \
  bench/host_aggregates.py bench/host_expressions.py \
  bench/host_lineitem.py bench/host_peers.py bench/host_queries.py \
  bench/host_strings.py bench/host_tables.py \
  bench/host_winnow.py \
  bench/measure bench/peers.py bench/plot bench/readme bench/results \
  bench/selections/q6_torch.py \
  man/winnow-bench.1 \
  $(bench_gpu_sources) $(bench_peer_sources) \
  bench/SEEDS.md bench/seeds/figures $(bench_seed_sources) $(bench_seed_kernels) bench/seeds/none.c
bench_gpu_sources = \
  bench/gpu.h \
  bench/gpu_copy.cu \
  bench/gpu_data.cu
bench_peer_sources = \
  bench/peer_calls.h \
  bench/peer_cub.cu \
  bench/peer_thrust.cu \
  bench/peer_type.cuh \
  bench/selections/cub.cu \
  bench/selections/cub_calls.h \
  bench/selections/cub_columns.cu \
  bench/selections/cub_q6.cu \
  bench/selections/cub_records.cu \
  bench/selections/cub_rows.cu \
  bench/selections/cub_strings.cu \
  bench/selections/cub_unique.cu

# The experiments again: on a GPU, and on the CPU device of the tests.
bench_seed_sources = \
  bench/seeds/atomic_add.c \
  bench/seeds/atomic_impact.c \
  bench/seeds/copy_atomic.c \
  bench/seeds/filter.c \
  bench/seeds/k_means.c \
  bench/seeds/kernels.h \
  bench/seeds/map.c bench/seeds/map.h \
  bench/seeds/matrix_product.c \
  bench/seeds/minimum.c \
  bench/seeds/model.c bench/seeds/model.h \
  bench/seeds/particles.c \
  bench/seeds/prefix_sums.c \
  bench/seeds/scalar_product.c \
  bench/seeds/seeds.c bench/seeds/seeds.h \
  bench/seeds/string_match.c \
  bench/seeds/text.c bench/seeds/text.h
bench_seed_kernels = \
  bench/seeds/atomic_add.cu \
  bench/seeds/copy_atomic.cu \
  bench/seeds/filter.cu \
  bench/seeds/k_means.cu \
  bench/seeds/kernel.cuh \
  bench/seeds/map_output.cuh \
  bench/seeds/matrix_product.cu \
  bench/seeds/minimum.cu \
  bench/seeds/particles.cu \
  bench/seeds/prefix_sums.cu \
  bench/seeds/scalar_product.cu \
  bench/seeds/software.cuh \
  bench/seeds/string_match.cu

.PHONY: bench
if HAVE_BENCH
bin_PROGRAMS += bench/winnow-bench
dist_man_MANS += man/winnow-bench.1
TESTS += bench/check-measure bench/check-options bench/check-regret
examples_cppflags = -DWINNOW_EXAMPLES='"$(exampledir)"'
bench_cppflags = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(JANSSON_CFLAGS) \
  $(examples_cppflags)
bench_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-unknown-pragmas

# All but the peers on a GPU.
noinst_LIBRARIES = bench/libbench.a
bench_libbench_a_CPPFLAGS = $(bench_cppflags) -include config.h -I$(top_srcdir) \
  -I$(top_srcdir)/lib
bench_libbench_a_CFLAGS = $(bench_cflags)
bench_libbench_a_SOURCES = $(bench_sources) bench/platform_cuda.c
bench_sources = \
  bench/accumulate.c \
  bench/baseline.c \
  bench/buffers.c \
  bench/contender.c bench/contender.h \
  bench/copy_if.c \
  bench/data.c bench/data.h \
  bench/defaults.c \
  bench/fit.c bench/fit.h \
  bench/host_cost.c \
  bench/host_cost.h \
  bench/host_cost_where.c \
  bench/json.c \
  bench/keys.c bench/keys.h \
  bench/lab.c bench/lab.h \
  bench/lab_report.c \
  bench/launch.c \
  bench/main.c \
  bench/timing.c bench/timing.h \
  bench/options.c bench/options.h \
  bench/peer.c bench/peer.h \
  bench/partition.c \
  bench/pipes/devices.c bench/pipes/devices.h \
  bench/pipes/names.h \
  bench/pipes/pieces.c bench/pipes/pieces.h \
  bench/pipes/pipes.c \
  bench/pipes/trial.c bench/pipes/trial.h \
  bench/pipes/ways.c bench/pipes/ways.h \
  bench/platform.h \
  bench/platform_host.c \
  bench/progress.c bench/progress.h \
  bench/reduce.c bench/reduce.h \
  bench/regret.c \
  bench/report.c bench/report.h \
  bench/run.c bench/run.h \
  bench/seeds/names.h \
  bench/selections/bit_column.c bench/selections/bit_column.h \
  bench/selections/bits.c \
  bench/selections/chain.c \
  bench/selections/chosen.c bench/selections/chosen.h \
  bench/selections/columns.c \
  bench/selections/cub.h \
  bench/selections/decimals.c \
  bench/selections/expand.c \
  bench/selections/expressions.c \
  bench/selections/fill_holes.c \
  bench/selections/masks.c \
  bench/selections/names.h \
  bench/selections/nullable.c \
  bench/selections/outcome.c bench/selections/outcome.h \
  bench/selections/q6.c \
  bench/selections/ranges.c \
  bench/selections/records.c \
  bench/selections/segments.c bench/selections/segments.h \
  bench/selections/segments_data.c \
  bench/selections/selections.c bench/selections/selections.h \
  bench/selections/string_data.c bench/selections/string_data.h \
  bench/selections/string_tests.c \
  bench/selections/strings.c \
  bench/selections/table.c bench/selections/table.h \
  bench/selections/to_mask.c \
  bench/selections/unique.c \
  bench/selections/where.c \
  bench/tune.c \
  bench/util.c bench/util.h \
  lib/auto/place.c lib/auto/place.h
if WITH_CUDA
bench_libbench_a_SOURCES += $(bench_seed_sources)
else
bench_libbench_a_SOURCES += bench/seeds/none.c
endif
# Behind bench/libbench.a and the peers, which it calls.
bench_ldadd = libwinnow.la $(JANSSON_LIBS) $(ARGP_LIBS) -lm

if HAVE_CXX
noinst_LTLIBRARIES += bench/libbenchstd.la
bench_libbenchstd_la_CPPFLAGS = $(AM_CPPFLAGS)
bench_libbenchstd_la_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti \
  -Wall -Wextra
bench_libbenchstd_la_SOURCES = bench/peer_std.cc bench/peer_calls.h
bench_ldadd += bench/libbenchstd.la
endif

if WITH_CUDA
noinst_LTLIBRARIES += bench/libbenchgpu.la
bench_libbenchgpu_la_SOURCES = $(bench_gpu_sources) $(bench_seed_kernels)
bench_ldadd += bench/libbenchgpu.la $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE)
endif

bench_winnow_bench_CPPFLAGS = $(bench_cppflags)
bench_winnow_bench_CFLAGS = $(bench_cflags)
bench_winnow_bench_SOURCES = bench/peer_none.c bench/selections/cub_none.c
bench_winnow_bench_LDADD = bench/libbench.a $(bench_ldadd)

if WITH_CUDA
EXTRA_PROGRAMS += bench/winnow-bench-peers
EXTRA_LTLIBRARIES = bench/libbenchpeers.la
CLEANFILES += $(EXTRA_PROGRAMS) $(EXTRA_LTLIBRARIES)
bench_libbenchpeers_la_SOURCES = $(bench_peer_sources)
bench_winnow_bench_peers_CPPFLAGS = $(bench_cppflags)
bench_winnow_bench_peers_CFLAGS = $(bench_cflags)
bench_winnow_bench_peers_SOURCES = bench/peer_gpu.c
# The program, not the library, needs the C++ runtime: Thrust throws.
bench_winnow_bench_peers_LDADD = bench/libbench.a bench/libbenchpeers.la \
  $(bench_ldadd) -lstdc++
# Thrust reports errors by exceptions, and CUB includes what catches them.
bench/peer_cub.lo bench/peer_thrust.lo bench/selections/cub.lo \
  bench/selections/cub_columns.lo bench/selections/cub_q6.lo \
  bench/selections/cub_records.lo bench/selections/cub_rows.lo \
  bench/selections/cub_strings.lo \
  bench/selections/cub_unique.lo: no_exceptions =
# After `all`, which is a make of its own: two would write the same files.
bench: all
	$(MAKE) $(AM_MAKEFLAGS) bench/winnow-bench-peers$(EXEEXT)
-include $(wildcard bench/$(DEPDIR)/*.cu.d bench/seeds/$(DEPDIR)/*.cu.d \
  bench/selections/$(DEPDIR)/*.cu.d)
else
bench: all
	@echo 'The peers on a GPU take a build with CUDA: bench/winnow-bench is all.'
endif
else
bench:
	@echo 'winnow-bench was left out: see what ./configure says of it.'; exit 1
endif
