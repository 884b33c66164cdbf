dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_PROGRAMS: what the programs need, jansson and argp. The library
dnl needs neither. Sets JANSSON_CFLAGS, JANSSON_LIBS, ARGP_LIBS, and
dnl winnow_programs_lack to what is missing.
AC_DEFUN([WINNOW_CHECK_PROGRAMS], [
winnow_programs_lack=
PKG_CHECK_MODULES([JANSSON], [jansson >= 2.13], [],
  [winnow_programs_lack="jansson 2.13 (libjansson-dev)"])
dnl In the C library of GNU; elsewhere in a library of its own.
winnow_save_LIBS=$LIBS
LIBS=
AC_CHECK_HEADER([argp.h],
  [AC_SEARCH_LIBS([argp_parse], [argp], [],
    [AS_VAR_APPEND([winnow_programs_lack], ["${winnow_programs_lack:+ and }argp"])])],
  [AS_VAR_APPEND([winnow_programs_lack], ["${winnow_programs_lack:+ and }argp"])])
ARGP_LIBS=$LIBS
LIBS=$winnow_save_LIBS
AC_SUBST([ARGP_LIBS])
])

dnl WINNOW_CHECK_PROGRAM(NAME, PROGRAM, CONDITIONAL): is a program built?
dnl
dnl   --enable-NAME    fail when something is missing
dnl   --disable-NAME   leave it out
dnl   (neither)        build it where all is there
dnl
dnl Sets winnow_NAME_summary and the conditional.
AC_DEFUN([WINNOW_CHECK_PROGRAM], [
AC_REQUIRE([WINNOW_CHECK_PROGRAMS])
AC_ARG_ENABLE([$1], [AS_HELP_STRING([--disable-$1],
  [leave out $2, which needs jansson (default: built where that is)])],
  [], [enable_$1=auto])
AS_IF([test "x$enable_$1" = xno], [winnow_$1_summary="no, as asked"],
  [test -z "$winnow_programs_lack"], [winnow_$1_summary=yes],
  [test "x$enable_$1" = xauto],
    [winnow_$1_summary="no, for lack of $winnow_programs_lack"],
  [AC_MSG_ERROR([$2 was asked for, and cannot be built for lack of $winnow_programs_lack])])
AM_CONDITIONAL([$3], [test "$winnow_$1_summary" = yes])
])
