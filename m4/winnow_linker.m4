dnl WINNOW_CHECK_LINKER: which of the linker flags that keep the shared library
dnl honest this linker knows.
AC_DEFUN([WINNOW_CHECK_LINKER], [
WINNOW_LDFLAGS=
for winnow_flag in -Wl,-z,defs -Wl,--no-undefined-version; do
  AC_MSG_CHECKING([whether the linker takes $winnow_flag])
  winnow_save_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS $winnow_flag"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([WINNOW_LDFLAGS], [" $winnow_flag"])],
    [AC_MSG_RESULT([no])])
  LDFLAGS=$winnow_save_LDFLAGS
done
dnl A library built with the address sanitizer leaves its symbols to the
dnl program; "defs" would refuse it.
AS_CASE([" $CFLAGS $CC "], [*-fsanitize=*], [WINNOW_LDFLAGS=])
AC_SUBST([WINNOW_LDFLAGS])
])
