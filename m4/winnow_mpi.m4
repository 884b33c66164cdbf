dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_MPI: can libwinnow-mpi be built? It is a library of its own.
dnl
dnl   --without-mpi  leave it out
dnl   MPICC          MPI's compiler, which is asked for its flags alone
dnl
dnl Sets MPI_CFLAGS, MPI_LIBS and the conditional WITH_MPI.
AC_DEFUN([WINNOW_CHECK_MPI], [
AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi],
  [leave out libwinnow-mpi (default: built where mpicc is)])],
  [], [with_mpi=auto])
AC_ARG_VAR([MPICC], [compiler of MPI, which is asked for its flags])
AC_CHECK_PROGS([MPICC], [mpicc], [:])
winnow_mpi_lacks=
MPI_CFLAGS=
MPI_LIBS=
AS_IF([test "x$with_mpi" = xno], [],
  [test "$MPICC" = :], [winnow_mpi_lacks=mpicc],
  [dnl Open MPI's options, and else those of MPICH, which name the compiler first.
   AS_IF([MPI_CFLAGS=`$MPICC --showme:compile 2>/dev/null`],
     [MPI_LIBS=`$MPICC --showme:link 2>/dev/null`],
     [MPI_CFLAGS=`$MPICC -compile_info 2>/dev/null | cut -d ' ' -f 2-`
      MPI_LIBS=`$MPICC -link_info 2>/dev/null | cut -d ' ' -f 2-`])
   winnow_save_CFLAGS=$CFLAGS
   winnow_save_LIBS=$LIBS
   CFLAGS="$CFLAGS $MPI_CFLAGS"
   LIBS="$MPI_LIBS $LIBS"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
       [[return MPI_Init(0, 0);]])], [],
     [winnow_mpi_lacks="mpi.h and its library"])
   CFLAGS=$winnow_save_CFLAGS
   LIBS=$winnow_save_LIBS])
AS_IF([test "x$with_mpi" = xno], [winnow_mpi_summary="no, as asked"],
  [test -z "$winnow_mpi_lacks"], [winnow_mpi_summary=yes],
  [test "x$with_mpi" = xauto],
    [winnow_mpi_summary="no, for lack of $winnow_mpi_lacks"],
  [AC_MSG_ERROR([libwinnow-mpi was asked for, and cannot be built for lack of $winnow_mpi_lacks])])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AM_CONDITIONAL([WITH_MPI], [test "$winnow_mpi_summary" = yes])
])
