dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_SIMT: can the tests have their CPU device (tests/simt)?
dnl
dnl   --with-detector=races|addresses   look at the kernels, the library and the
dnl                                     tests with ThreadSanitizer, or with
dnl                                     AddressSanitizer
dnl   --disable-simt                    leave the CPU device out
dnl
dnl Sets SIMT_DETECTOR_CFLAGS, SIMT_DETECTOR_CPPFLAGS and the conditional
dnl HAVE_SIMT.
AC_DEFUN([WINNOW_CHECK_SIMT], [
AC_ARG_WITH([detector], [AS_HELP_STRING([--with-detector=races|addresses],
  [what the tests of the CPU device look for, beside wrong results])],
  [], [with_detector=no])
AC_ARG_ENABLE([simt], [AS_HELP_STRING([--disable-simt],
  [leave out the tests on the CPU device])], [], [enable_simt=yes])
AC_LANG_PUSH([C++])
AC_CHECK_HEADER([boost/context/detail/fcontext.hpp],
  [have_simt=yes], [have_simt=no])
AC_LANG_POP([C++])
AS_IF([test "$enable_simt" = no], [have_simt=no])
AS_CASE([$with_detector],
  [no], [winnow_simt_summary=$have_simt],
  [races], [
    SIMT_DETECTOR_CFLAGS="-fsanitize=thread"
    SIMT_DETECTOR_CPPFLAGS="-DSIMT_RACES=1"
    winnow_simt_summary="$have_simt, looks for races"],
  [addresses], [
    SIMT_DETECTOR_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all"
    SIMT_DETECTOR_CPPFLAGS="-DSIMT_ADDRESSES=1"
    winnow_simt_summary="$have_simt, looks for bad addresses"],
  [AC_MSG_ERROR([--with-detector takes races or addresses, not '$with_detector'])])
AS_IF([test "$with_detector$have_simt" != nono && test $have_simt = no],
  [AC_MSG_ERROR([a detector was asked for, and there is no Boost.Context (libboost-context-dev)])])
AM_CONDITIONAL([HAVE_SIMT], [test $have_simt = yes])
AM_CONDITIONAL([SIMT_RACES], [test "$with_detector" = races])
AM_CONDITIONAL([HAVE_DEVICE_TESTS], [test $have_simt = yes &&
  { test "$with_detector" = races || test "$have_criterion" = yes; }])
SIMT_DETECTOR=$with_detector
AS_IF([test "$with_detector" = no], [SIMT_DETECTOR=none])
AC_SUBST([SIMT_DETECTOR])
AC_SUBST([SIMT_DETECTOR_CFLAGS])
AC_SUBST([SIMT_DETECTOR_CPPFLAGS])
])
