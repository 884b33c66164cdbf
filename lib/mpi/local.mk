# SPDX-License-Identifier: Apache-2.0
# A library of its own, where there is MPI.
mpi_sources = \
  %D%/agree.c \
  %D%/balance.c \
  %D%/create.c \
  %D%/create_f.c \
  %D%/exchange.c \
  %D%/leavers.c \
  %D%/memory.c \
  %D%/messages.c \
  %D%/migrate.c \
  %D%/neighbours.c \
  %D%/place.c \
  %D%/reduce.c \
  %D%/rooms.c \
  %D%/same.c \
  %D%/staged.c \
  %D%/write.c
EXTRA_DIST += %D%/libwinnow-mpi.map $(mpi_sources) \
  include/winnow_mpi.h
if WITH_MPI
lib_LTLIBRARIES += libwinnow-mpi.la
libwinnow_mpi_la_SOURCES = $(mpi_sources) $(ranks_sources)
libwinnow_mpi_la_CPPFLAGS = $(library_cppflags) $(MPI_CFLAGS) $(CUDA_CPPFLAGS)
libwinnow_mpi_la_CFLAGS = $(AM_CFLAGS) -pthread -fvisibility=hidden
libwinnow_mpi_la_LIBTOOLFLAGS =
libwinnow_mpi_la_LIBADD = libwinnow.la $(MPI_LIBS) $(CUDART_LIBS)
libwinnow_mpi_la_DEPENDENCIES = libwinnow.la %D%/libwinnow-mpi.map
libwinnow_mpi_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
  -Wl,--version-script=$(top_srcdir)/lib/mpi/libwinnow-mpi.map
include_HEADERS += include/winnow_mpi.h
pkgconfig_DATA += winnow-mpi.pc
endif
