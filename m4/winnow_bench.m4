dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_BENCH: can winnow-bench be built? The library needs nothing of
dnl what is looked for here.
dnl
dnl   --enable-bench    fail when something is missing
dnl   --disable-bench   leave it out
dnl   (neither)         build it where all is there
dnl
dnl Sets JANSSON_CFLAGS, JANSSON_LIBS, BENCH_LIBS and the conditional HAVE_BENCH.
AC_DEFUN([WINNOW_CHECK_BENCH], [
AC_ARG_ENABLE([bench], [AS_HELP_STRING([--disable-bench],
  [leave out winnow-bench, which needs jansson (default: built where that is)])],
  [], [enable_bench=auto])
winnow_bench_lacks=
AS_IF([test "x$enable_bench" != xno], [
  PKG_CHECK_MODULES([JANSSON], [jansson >= 2.13], [],
    [winnow_bench_lacks="jansson 2.13 (libjansson-dev)"])
  dnl In the C library of GNU; elsewhere in a library of its own.
  winnow_save_LIBS=$LIBS
  LIBS=
  AC_CHECK_HEADER([argp.h],
    [AC_SEARCH_LIBS([argp_parse], [argp], [],
      [AS_VAR_APPEND([winnow_bench_lacks], ["${winnow_bench_lacks:+ and }argp"])])],
    [AS_VAR_APPEND([winnow_bench_lacks], ["${winnow_bench_lacks:+ and }argp"])])
  BENCH_LIBS=$LIBS
  LIBS=$winnow_save_LIBS])
AS_IF([test "x$enable_bench" = xno],
    [winnow_bench_summary="no, as asked"],
  [test -z "$winnow_bench_lacks"],
    [winnow_bench_summary=yes],
  [test "x$enable_bench" = xauto],
    [winnow_bench_summary="no, for lack of $winnow_bench_lacks"],
  [AC_MSG_ERROR([winnow-bench was asked for, and cannot be built for lack of $winnow_bench_lacks])])
AM_CONDITIONAL([HAVE_BENCH], [test "$winnow_bench_summary" = yes])
AC_SUBST([BENCH_LIBS])
])
