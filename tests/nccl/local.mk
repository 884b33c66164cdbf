# SPDX-License-Identifier: Apache-2.0
# libwinnow-nccl: on the CPU device by tests/simt/test_nccl.c, and on the GPUs that
# there are.
nccl_checks = tests/nccl/balance.c tests/nccl/checks.c tests/nccl/checks.h \
  tests/nccl/processes.c tests/nccl/processes.h tests/nccl/ranked.c \
  tests/nccl/ranked.h tests/nccl/reduce.c
EXTRA_DIST += $(nccl_checks) tests/nccl/double.c tests/nccl/meet.c \
  tests/nccl/speed.c tests/nccl/speed.h tests/nccl/speed_exchange.c \
  tests/nccl/speed_filter.c tests/nccl/speed_partition.c \
  tests/nccl/test_ipc.c tests/nccl/test_nccl.c
if WITH_NCCL
# By hand: among the tests it would bring NCCL, of 200 MB, into tools/bundle's
# folder.
check_PROGRAMS += tests/nccl/test_nccl
tests_nccl_test_nccl_SOURCES = tests/nccl/test_nccl.c $(nccl_checks) \
  tests/nccl/meet.c tests/nccl/speed.c tests/nccl/speed.h \
  tests/nccl/speed_exchange.c tests/nccl/speed_filter.c \
  tests/nccl/speed_partition.c tests/report.c
tests_nccl_test_nccl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests \
  $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
tests_nccl_test_nccl_CFLAGS = $(AM_CFLAGS) -pthread
tests_nccl_test_nccl_LDADD = libwinnow-nccl.la libwinnow.la $(NCCL_LIBS) \
  $(CUDART_LIBS)
# Processes that share a GPU. The program's functions go before those of libnccl,
# which the library is linked with.
check_PROGRAMS += tests/nccl/test_ipc
tests_nccl_test_ipc_SOURCES = tests/nccl/test_ipc.c $(nccl_checks) \
  tests/nccl/double.c tests/report.c
tests_nccl_test_ipc_CPPFLAGS = $(tests_nccl_test_nccl_CPPFLAGS)
tests_nccl_test_ipc_CFLAGS = $(AM_CFLAGS) -pthread
tests_nccl_test_ipc_LDADD = $(tests_nccl_test_nccl_LDADD)
endif
