# SPDX-License-Identifier: Apache-2.0
# Everything is compiled once, into a convenience library that white-box tests
# may link; libwinnow is that with the version script applied.
noinst_LTLIBRARIES += libwinnow_internal.la
library_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/lib \
  -include config.h
libwinnow_internal_la_CPPFLAGS = $(library_cppflags) $(CUDA_CPPFLAGS)
libwinnow_internal_la_CFLAGS = $(AM_CFLAGS) -pthread -fvisibility=hidden
# Sources of every build, and those of the CUDA backend. A room lists its own.
library_sources =
cuda_sources =
include lib/core/local.mk
include lib/host/local.mk
include lib/cuda/local.mk
include lib/tile/local.mk
include lib/auto/local.mk
include lib/copy/local.mk
include lib/context/local.mk
include lib/set/local.mk
include lib/string/local.mk
include lib/condition/local.mk
include lib/selection/local.mk
include lib/select/local.mk
include lib/pack/local.mk
include lib/one_call/local.mk
include lib/partition/local.mk
include lib/accumulate/local.mk
include lib/reduce/local.mk
include lib/aggregate/local.mk
include lib/arrow/local.mk
include lib/pipe/local.mk
EXTRA_DIST += $(cuda_sources)
libwinnow_internal_la_SOURCES = $(library_sources)
libwinnow_internal_la_LIBADD = $(host_loops)

lib_LTLIBRARIES = libwinnow.la
libwinnow_la_SOURCES =
libwinnow_la_CFLAGS = $(AM_CFLAGS) -pthread
# Both kinds.
libwinnow_la_LIBTOOLFLAGS =
libwinnow_la_LIBADD = libwinnow_internal.la
libwinnow_la_DEPENDENCIES = libwinnow_internal.la lib/libwinnow.map
# Bound when it is loaded: the dynamic linker takes 3 KiB of the stack of a first call.
libwinnow_la_LDFLAGS = -version-info 1:0:1 -no-undefined $(WINNOW_LDFLAGS) \
  -Wl,-z,now -Wl,--version-script=$(top_srcdir)/lib/libwinnow.map
EXTRA_DIST += lib/libwinnow.map
# Of all rooms.
EXTRA_DIST += $(sort $(patsubst $(srcdir)/%,%,$(foreach room,* */*, \
  $(wildcard $(addprefix $(srcdir)/lib/$(room)/,*.h README.md)))))

if WITH_CUDA
libwinnow_internal_la_SOURCES += $(cuda_sources)
libwinnow_la_LIBADD += $(CUDART_LIBS) $(WINNOW_CXX_PRIVATE)
libwinnow_la_LDFLAGS += -static-libgcc
endif
