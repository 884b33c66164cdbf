# Complete programs for users to start from. `make check` runs them in the
# tree; tests/check-install compiles and runs them once more against an
# installed copy.
#
# SPDX-License-Identifier: Apache-2.0

check_PROGRAMS += examples/filter examples/count examples/capacity
TESTS += examples/filter examples/count examples/capacity

examples_filter_SOURCES = examples/filter.c
examples_filter_LDADD = libwinnow.la
examples_count_SOURCES = examples/count.c
examples_count_LDADD = libwinnow.la
examples_capacity_SOURCES = examples/capacity.c
examples_capacity_LDADD = libwinnow.la

if WITH_CUDA
check_PROGRAMS += examples/gpu_graph
TESTS += examples/gpu_graph

examples_gpu_graph_SOURCES = examples/gpu_graph.c
examples_gpu_graph_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
examples_gpu_graph_LDADD = libwinnow.la $(CUDART_LIBS)
endif
