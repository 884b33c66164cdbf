# Complete programs for users to start from. `make check` runs them in the
# tree; tests/check-install compiles and runs them once more against an
# installed copy.
#
# SPDX-License-Identifier: Apache-2.0

example_programs = examples/filter examples/arrow_filter examples/count \
  examples/capacity \
  examples/string_match examples/particles examples/k_means examples/q6
check_PROGRAMS += $(example_programs)
TESTS += $(example_programs)

# All of them are installed, with a page that says how to compile each.
exampledir = $(docdir)/examples
dist_example_DATA = \
  examples/README.md \
  examples/arrow_filter.c \
  examples/balance_mpi.f90 \
  examples/capacity.c \
  examples/count.c \
  examples/filter.c \
  examples/filter_cpp.cc \
  examples/filter_fortran.f90 \
  examples/gpu_experts.cu \
  examples/gpu_graph.c \
  examples/gpu_k_means.cu \
  examples/gpu_particles.c \
  examples/gpu_string_match.cu \
  examples/k_means.c \
  examples/lineitem.h \
  examples/particles.c \
  examples/particles_mpi.c \
  examples/particles_nccl.c \
  examples/q6.c \
  examples/string_match.c
examplecmakedir = $(exampledir)/cmake
dist_examplecmake_DATA = examples/cmake/CMakeLists.txt
examplerustdir = $(exampledir)/rust
dist_examplerust_DATA = examples/rust/Cargo.toml examples/rust/build.rs
examplerustsrcdir = $(examplerustdir)/src
dist_examplerustsrc_DATA = examples/rust/src/bindings.rs \
  examples/rust/src/main.rs

examples_filter_SOURCES = examples/filter.c
examples_filter_LDADD = libwinnow.la
examples_arrow_filter_SOURCES = examples/arrow_filter.c
examples_arrow_filter_LDADD = libwinnow.la
examples_count_SOURCES = examples/count.c
examples_count_LDADD = libwinnow.la
examples_capacity_SOURCES = examples/capacity.c
examples_capacity_LDADD = libwinnow.la
examples_string_match_SOURCES = examples/string_match.c
examples_string_match_LDADD = libwinnow.la
examples_particles_SOURCES = examples/particles.c
examples_particles_LDADD = libwinnow.la
examples_k_means_SOURCES = examples/k_means.c
examples_k_means_LDADD = libwinnow.la

examples_q6_SOURCES = examples/q6.c examples/lineitem.h
examples_q6_LDADD = libwinnow.la

# From C++: tests/check-cpp has other compilers and standards.
if HAVE_CXX
check_PROGRAMS += examples/filter_cpp
TESTS += examples/filter_cpp
endif
examples_filter_cpp_CXXFLAGS = -std=c++17 $(WARN_CXXFLAGS) \
  $(SIMT_DETECTOR_CFLAGS)
examples_filter_cpp_SOURCES = examples/filter_cpp.cc
examples_filter_cpp_LDADD = libwinnow.la

# tests/mpi/check runs it.
if WITH_MPI
check_PROGRAMS += examples/particles_mpi
examples_particles_mpi_SOURCES = examples/particles_mpi.c
examples_particles_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
examples_particles_mpi_LDADD = libwinnow-mpi.la libwinnow.la $(MPI_LIBS)
endif

# Run by hand: among the tests it would bring NCCL into tools/bundle's folder. On
# the CPU device tests/simt/test_nccl.c runs it.
if WITH_NCCL
check_PROGRAMS += examples/particles_nccl
examples_particles_nccl_SOURCES = examples/particles_nccl.c
examples_particles_nccl_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
  $(NCCL_CPPFLAGS)
examples_particles_nccl_CFLAGS = $(AM_CFLAGS) -pthread
examples_particles_nccl_LDADD = libwinnow-nccl.la libwinnow.la $(NCCL_LIBS) \
  $(CUDART_LIBS)
endif

# Query 6 in SQLite, over the same rows.
EXTRA_DIST += examples/sqlite/check-q6
if HAVE_SQLITE
check_PROGRAMS += examples/sqlite/q6
TESTS += examples/sqlite/check-q6
examples_sqlite_q6_CFLAGS = $(AM_CFLAGS) $(SQLITE_CFLAGS)
examples_sqlite_q6_SOURCES = examples/sqlite/q6.c
examples_sqlite_q6_LDADD = $(SQLITE_LIBS)
endif

if WITH_CUDA
example_gpu_programs = examples/gpu_graph examples/gpu_particles \
  examples/gpu_string_match examples/gpu_k_means examples/gpu_experts
check_PROGRAMS += $(example_gpu_programs)
TESTS += $(example_gpu_programs)

examples_gpu_graph_SOURCES = examples/gpu_graph.c
examples_gpu_graph_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
examples_gpu_graph_LDADD = libwinnow.la $(CUDART_LIBS)

examples_gpu_particles_SOURCES = examples/gpu_particles.c
examples_gpu_particles_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
examples_gpu_particles_LDADD = libwinnow.la $(CUDART_LIBS)

# Programs of nvcc's, linked as those of the C++ compiler.
check_LTLIBRARIES += examples/libgpustringmatch.la examples/libgpukmeans.la \
  examples/libgpuexperts.la
examples_libgpustringmatch_la_SOURCES = examples/gpu_string_match.cu
examples_libgpukmeans_la_SOURCES = examples/gpu_k_means.cu
examples_libgpuexperts_la_SOURCES = examples/gpu_experts.cu
# They use the C++ library.
examples/gpu_string_match.lo examples/gpu_k_means.lo \
  examples/gpu_experts.lo: no_exceptions =
examples_gpu_string_match_SOURCES =
nodist_EXTRA_examples_gpu_string_match_SOURCES = examples/any.cc
examples_gpu_string_match_LDADD = examples/libgpustringmatch.la $(CUDART_LIBS)
examples_gpu_k_means_SOURCES =
nodist_EXTRA_examples_gpu_k_means_SOURCES = examples/any.cc
examples_gpu_k_means_LDADD = examples/libgpukmeans.la libwinnow.la \
  $(CUDART_LIBS)
examples_gpu_experts_SOURCES =
nodist_EXTRA_examples_gpu_experts_SOURCES = examples/any.cc
examples_gpu_experts_LDADD = examples/libgpuexperts.la libwinnow.la \
  $(CUDART_LIBS)
-include $(wildcard examples/$(DEPDIR)/*.cu.d)
endif
