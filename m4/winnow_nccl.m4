dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_NCCL: can libwinnow-nccl be built? It is a library of its own.
dnl
dnl   --with-nccl[=DIR]  where include/nccl.h and lib/libnccl.so.2 are
dnl   --without-nccl     leave it out
dnl   (neither)          built where CUDA and NCCL are
dnl
dnl Sets NCCL_CPPFLAGS, NCCL_LIBS and the conditional WITH_NCCL. After
dnl WINNOW_CHECK_CUDA.
AC_DEFUN([WINNOW_CHECK_NCCL], [
AC_ARG_WITH([nccl], [AS_HELP_STRING([--with-nccl=DIR],
  [NCCL, for libwinnow-nccl (default: built where CUDA and nccl.h are)])],
  [], [with_nccl=auto])
winnow_nccl_lacks=
NCCL_CPPFLAGS=
NCCL_LIBS=
AS_IF([test "x$with_nccl" = xno], [],
  [test "$winnow_cuda" != yes], [winnow_nccl_lacks=CUDA],
  [dnl As a system's header, which may declare f() for f(void).
   AS_CASE([$with_nccl],
     [yes|auto], [winnow_nccl_dirs=
      NCCL_CPPFLAGS="-isystem $winnow_cuda_home/include"],
     [NCCL_CPPFLAGS="-isystem $with_nccl/include"
      AS_IF([test -d "$with_nccl/lib64"], [winnow_nccl_dirs=-L$with_nccl/lib64],
        [winnow_nccl_dirs=-L$with_nccl/lib])])
   winnow_save_CPPFLAGS=$CPPFLAGS
   winnow_save_LIBS=$LIBS
   CPPFLAGS="$CPPFLAGS $NCCL_CPPFLAGS $CUDA_CPPFLAGS"
   winnow_nccl_lacks="nccl.h and its library, 2.7 or later"
   dnl The wheel has no libnccl.so; the toolkit may have one.
   for winnow_name in -lnccl -l:libnccl.so.2; do
     AS_IF([test -n "$winnow_nccl_lacks"], [
       NCCL_LIBS="$winnow_nccl_dirs ${winnow_nccl_dirs:--L$winnow_cuda_lib} $winnow_name"
       LIBS="$NCCL_LIBS $winnow_save_LIBS"
       AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <nccl.h>
           #if NCCL_VERSION_CODE < 2700
           #error too old
           #endif]],
           [[return ncclSend(0, 0, ncclUint8, 0, 0, 0);]])],
         [winnow_nccl_lacks=])])
   done
   CPPFLAGS=$winnow_save_CPPFLAGS
   LIBS=$winnow_save_LIBS])
AS_IF([test "x$with_nccl" = xno], [winnow_nccl_summary="no, as asked"],
  [test -z "$winnow_nccl_lacks"], [winnow_nccl_summary=yes],
  [test "x$with_nccl" = xauto],
    [winnow_nccl_summary="no, for lack of $winnow_nccl_lacks"],
  [AC_MSG_ERROR([libwinnow-nccl was asked for, and cannot be built for lack of $winnow_nccl_lacks])])
AC_SUBST([NCCL_CPPFLAGS])
AC_SUBST([NCCL_LIBS])
AM_CONDITIONAL([WITH_NCCL], [test "$winnow_nccl_summary" = yes])
])
