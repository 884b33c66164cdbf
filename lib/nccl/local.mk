# SPDX-License-Identifier: Apache-2.0
# A library of its own, where there are CUDA and NCCL. Its kernels: kernels/nccl.
nccl_sources = \
  %D%/agree.c \
  %D%/alloc.c \
  %D%/async_error.c \
  %D%/balance.c \
  %D%/create.c \
  %D%/device.c \
  %D%/errors.c \
  %D%/exchange.c \
  %D%/peers.c \
  %D%/place.c \
  %D%/push.c \
  %D%/reach.c \
  %D%/reduce.c \
  %D%/same.c
# The CPU device has one process alone, which says that it is several.
nccl_process_sources = %D%/process.c
EXTRA_DIST += %D%/process.c %D%/libwinnow-nccl.map $(nccl_sources) \
  include/winnow_nccl.h
if WITH_NCCL
lib_LTLIBRARIES += libwinnow-nccl.la
libwinnow_nccl_la_SOURCES = $(nccl_sources) $(ranks_sources) $(nccl_process_sources) \
  $(nccl_kernel_sources)
libwinnow_nccl_la_CPPFLAGS = $(library_cppflags) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
libwinnow_nccl_la_CFLAGS = $(AM_CFLAGS) -pthread -fvisibility=hidden
libwinnow_nccl_la_LIBTOOLFLAGS =
libwinnow_nccl_la_LIBADD = libwinnow.la $(NCCL_LIBS) $(CUDART_LIBS) \
  $(WINNOW_CXX_PRIVATE)
libwinnow_nccl_la_DEPENDENCIES = libwinnow.la %D%/libwinnow-nccl.map
libwinnow_nccl_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
  -static-libgcc -Wl,--version-script=$(top_srcdir)/lib/nccl/libwinnow-nccl.map
include_HEADERS += include/winnow_nccl.h
pkgconfig_DATA += winnow-nccl.pc
endif
