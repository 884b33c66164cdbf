# SPDX-License-Identifier: Apache-2.0
# One program per area. Everything they share is compiled once.
tests_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CUDA_CPPFLAGS)
tests_cflags = $(AM_CFLAGS) -pthread

check_LTLIBRARIES += tests/libsupport.la
tests_libsupport_la_CPPFLAGS = $(tests_cppflags)
tests_libsupport_la_CFLAGS = $(tests_cflags)
tests_libsupport_la_SOURCES = \
  tests/backend.c tests/backend.h \
  tests/data.c tests/data.h \
  tests/element.c tests/element.h \
  tests/multiset.c tests/multiset.h \
  tests/oracle.c tests/oracle.h \
  tests/reduced.h \
  tests/region.c tests/region.h \
  tests/report.c tests/report.h \
  tests/rules.c tests/rules.h \
  tests/strategies.h \
  tests/trial.c tests/trial.h
tests_ldadd = tests/libsupport.la libwinnow.la

# Of one process and without Criterion, for tools that follow no children.
check_PROGRAMS += tests/test_reduced
TESTS += tests/test_reduced
tests_test_reduced_CPPFLAGS = $(tests_cppflags)
tests_test_reduced_CFLAGS = $(tests_cflags)
tests_test_reduced_SOURCES = tests/test_reduced.c
tests_test_reduced_LDADD = $(tests_ldadd) -lm

if WITH_CUDA
tests_libsupport_la_SOURCES += tests/gpu.c tests/gpu.h
tests_ldadd += $(CUDART_LIBS)
endif
