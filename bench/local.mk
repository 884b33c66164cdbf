# SPDX-License-Identifier: Apache-2.0
# winnow-bench is installed; winnow-demo is what `./quickstart demo` runs.
bin_PROGRAMS += bench/winnow-bench
noinst_PROGRAMS += bench/winnow-demo
dist_man_MANS += man/winnow-bench.1
TESTS += bench/check-regret
dist_check_SCRIPTS += bench/check-regret
EXTRA_DIST += bench/NOTES.md bench/host_peers.py bench/peers.py bench/plot bench/results

bench_winnow_bench_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
bench_winnow_bench_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-unknown-pragmas
bench_winnow_bench_SOURCES = \
  bench/baseline.c \
  bench/buffers.c \
  bench/contender.c bench/contender.h \
  bench/copy_if.c \
  bench/data.c bench/data.h \
  bench/defaults.c \
  bench/help.c bench/help.h \
  bench/host_cost.c \
  bench/json.c \
  bench/launch.c \
  bench/main.c \
  bench/measure.c bench/measure.h \
  bench/options.c bench/options.h \
  bench/peer.c bench/peer.h \
  bench/platform.h \
  bench/platform_cuda.c \
  bench/platform_host.c \
  bench/progress.c bench/progress.h \
  bench/regret.c bench/regret.h \
  bench/regret_table.c \
  bench/report.c bench/report.h \
  bench/run.c bench/run.h \
  bench/util.c bench/util.h
bench_winnow_bench_LDADD = libwinnow.la -lm

if HAVE_CXX
noinst_LTLIBRARIES += bench/libbenchstd.la
bench_libbenchstd_la_CPPFLAGS = $(AM_CPPFLAGS)
bench_libbenchstd_la_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti \
  -Wall -Wextra
bench_libbenchstd_la_SOURCES = bench/peer_std.cc bench/peer_calls.h
bench_winnow_bench_LDADD += bench/libbenchstd.la
endif

bench_winnow_demo_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
bench_winnow_demo_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-unknown-pragmas
bench_winnow_demo_SOURCES = \
  bench/demo.c \
  bench/demo_data.c bench/demo_data.h \
  bench/demo_fail.c \
  bench/demo_host.c \
  bench/demo_place.h
bench_winnow_demo_LDADD = libwinnow.la

bench_gpu_sources = \
  bench/gpu.h \
  bench/gpu_copy.cu \
  bench/gpu_data.cu \
  bench/peer_calls.h \
  bench/peer_cub.cu \
  bench/peer_thrust.cu \
  bench/peer_type.cuh
EXTRA_DIST += $(bench_gpu_sources)

if WITH_CUDA
noinst_LTLIBRARIES += bench/libbenchgpu.la
bench_libbenchgpu_la_SOURCES = $(bench_gpu_sources)
# The program, not the library, needs the C++ runtime: Thrust throws.
bench_winnow_bench_LDADD += bench/libbenchgpu.la $(CUDART_LIBS) -lstdc++
bench_winnow_demo_SOURCES += bench/demo_gpu.c
bench_winnow_demo_LDADD += $(CUDART_LIBS)

# Thrust reports errors by exceptions, and CUB includes what catches them.
bench/peer_cub.lo bench/peer_thrust.lo: no_exceptions =

-include $(wildcard bench/$(DEPDIR)/*.cu.d)
endif
