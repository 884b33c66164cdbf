# SPDX-License-Identifier: Apache-2.0
# libwinnow-mpi, by mpirun, on 1, 2, 4, 6 and 7 ranks.
TESTS += tests/mpi/check tests/mpi/check-fortran
dist_check_SCRIPTS += tests/mpi/check tests/mpi/check-fortran
EXTRA_DIST += tests/mpi/must.h tests/mpi/test_details.c \
  tests/mpi/test_mpi.c tests/mpi/speed.c
if WITH_MPI
check_PROGRAMS += tests/mpi/test_mpi
tests_mpi_test_mpi_SOURCES = tests/mpi/must.h tests/mpi/test_mpi.c
tests_mpi_test_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_test_mpi_CFLAGS = $(AM_CFLAGS)
tests_mpi_test_mpi_LDADD = libwinnow-mpi.la libwinnow.la $(MPI_LIBS)
check_PROGRAMS += tests/mpi/test_details
tests_mpi_test_details_SOURCES = tests/mpi/must.h tests/mpi/test_details.c
tests_mpi_test_details_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_test_details_CFLAGS = $(AM_CFLAGS)
tests_mpi_test_details_LDADD = libwinnow-mpi.la libwinnow.la $(MPI_LIBS)
# Run by hand.
check_PROGRAMS += tests/mpi/speed
tests_mpi_speed_SOURCES = tests/mpi/must.h tests/mpi/speed.c
tests_mpi_speed_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_speed_CFLAGS = $(AM_CFLAGS)
tests_mpi_speed_LDADD = libwinnow-mpi.la libwinnow.la $(MPI_LIBS)
# test_mpi with arrays of the CPU device.
if HAVE_SIMT
check_PROGRAMS += tests/mpi/test_device
tests_mpi_test_device_SOURCES = tests/mpi/test_mpi.c $(mpi_sources) \
  $(ranks_sources)
tests_mpi_test_device_CPPFLAGS = $(simt_cppflags) -include config.h $(MPI_CFLAGS) \
  -DTEST_ON_DEVICE=1
tests_mpi_test_device_CFLAGS = $(simt_cflags)
nodist_EXTRA_tests_mpi_test_device_SOURCES = tests/simt/any.cc
tests_mpi_test_device_LDFLAGS = $(simt_ldflags)
tests_mpi_test_device_LDADD = $(simt_ldadd) $(MPI_LIBS)
endif
endif
