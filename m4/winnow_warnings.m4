dnl WINNOW_CHECK_WARNINGS: warnings for every C file, and for the machine of the
dnl CPU device; errors with --enable-werror.
AC_DEFUN([WINNOW_CHECK_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror],
  [treat warnings as errors (for maintainers)])], [], [enable_werror=no])
WARN_CFLAGS="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla"
WARN_CXXFLAGS="-Wall -Wextra -Wshadow"
NVCC_WARN_FLAGS="-Wall -Wextra"
AS_IF([test "x$enable_werror" = xyes], [
  AS_VAR_APPEND([WARN_CFLAGS], [" -Werror"])
  AS_VAR_APPEND([WARN_CXXFLAGS], [" -Werror"])
  AS_VAR_APPEND([NVCC_WARN_FLAGS], [" -Werror=all-warnings"])])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([WARN_CXXFLAGS])
AC_SUBST([NVCC_WARN_FLAGS])
])
