dnl WINNOW_CHECK_PARSERS: bison and flex. What they write is in the tarball, so
dnl that only a checkout, or a change, needs them.
AC_DEFUN([WINNOW_CHECK_PARSERS], [
AC_PROG_YACC
AC_PROG_LEX([noyywrap])
AM_PROG_LEX
AS_IF([test ! -f "$srcdir/lib/condition/text/parse.c" || test ! -f "$srcdir/lib/condition/text/scan.c"], [
  AC_CACHE_CHECK([for bison 3.6], [winnow_cv_bison],
    [AS_ECHO(['%require "3.6"']) >conftest.y
     AS_ECHO(['%%']) >>conftest.y
     AS_ECHO(['start: ;']) >>conftest.y
     AS_IF([$YACC -Wno-yacc -o conftest.c conftest.y >&AS_MESSAGE_LOG_FD 2>&1],
       [winnow_cv_bison=yes], [winnow_cv_bison=no])
     rm -f conftest.y conftest.c])
  AC_CACHE_CHECK([for flex], [winnow_cv_flex],
    [AS_CASE([`$LEX --version 2>/dev/null`], [flex*], [winnow_cv_flex=yes],
       [winnow_cv_flex=no])])
  AS_IF([test "$winnow_cv_bison$winnow_cv_flex" != yesyes],
    [AC_MSG_ERROR([a checkout needs bison 3.6 or later, and flex; the release does not])])])
])
