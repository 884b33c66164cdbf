# winnow.hpp, each of its functions, on the host.
#
# SPDX-License-Identifier: Apache-2.0

tests_cpp_sources = \
  tests/cpp/aggregates.cc \
  tests/cpp/arrow.cc \
  tests/cpp/calls.cc \
  tests/cpp/check.hpp \
  tests/cpp/data.hpp \
  tests/cpp/errors.cc \
  tests/cpp/filters.cc \
  tests/cpp/keyed.cc \
  tests/cpp/pipes.cc \
  tests/cpp/selections.cc \
  tests/cpp/tables.cc \
  tests/cpp/types.cc
EXTRA_DIST += $(tests_cpp_sources)
if HAVE_CXX
check_PROGRAMS += tests/cpp/calls
TESTS += tests/cpp/calls
tests_cpp_calls_SOURCES = $(tests_cpp_sources)
tests_cpp_calls_CXXFLAGS = -std=c++17 -pedantic $(WARN_CXXFLAGS) \
  $(SIMT_DETECTOR_CFLAGS)
# It runs once: to optimise it would take longer than that saves.
tests/cpp/calls-%.o: CXXFLAGS += -O0
tests_cpp_calls_LDADD = libwinnow.la
# So that tools/check cpp is enough.
$(patsubst %,tests/%.log,check-cpp): tests/cpp/calls
endif
TESTS += tests/check-cpp
dist_check_SCRIPTS += tests/check-cpp
