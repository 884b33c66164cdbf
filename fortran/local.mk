# The module for Fortran, made from the headers of C and installed as source: a
# compiled one is good for one compiler. `pkg-config --variable=fortran winnow`
# says where it is.
#
# SPDX-License-Identifier: Apache-2.0

fortrandir = $(pkgincludedir)
nodist_fortran_DATA = fortran/winnow.f90
CLEANFILES += fortran/winnow.f90
EXTRA_DIST += fortran/helpers.f90 fortran/interface.awk
fortran_headers = include/winnow.h include/winnow/arrow.h
fortran/winnow.f90: fortran/interface.awk fortran/helpers.f90 $(fortran_headers)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) \
	  -v helpers='$(srcdir)/fortran/helpers.f90' \
	  -f '$(srcdir)/fortran/interface.awk' \
	  '$(srcdir)/include/winnow.h' '$(srcdir)/include/winnow/arrow.h' \
	  >$@-new && mv -f $@-new $@

# That of libwinnow-mpi takes communicators as integers, and needs no module of
# MPI's to be compiled.
CLEANFILES += fortran/winnow_mpi.f90
if WITH_MPI
nodist_fortran_DATA += fortran/winnow_mpi.f90
endif
fortran/winnow_mpi.f90: fortran/interface.awk include/winnow.h \
  include/winnow_mpi.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v module=winnow_mpi \
	  -f '$(srcdir)/fortran/interface.awk' '$(srcdir)/include/winnow.h' \
	  '$(srcdir)/include/winnow_mpi.h' >$@-new && mv -f $@-new $@

TESTS += tests/check-fortran
dist_check_SCRIPTS += tests/check-fortran
EXTRA_DIST += tests/fortran/calls.f90 tests/fortran/calls_mpi.f90
