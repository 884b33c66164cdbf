dnl SPDX-License-Identifier: Apache-2.0
dnl WINNOW_CHECK_PYTHON: can the extension module be built? The library needs
dnl nothing of it.
dnl
dnl   PYTHON            the interpreter, 3.11 or later, with its headers
dnl   --disable-python  leave it out
dnl
dnl Sets PYTHON, PYTHON_CPPFLAGS, the conditional HAVE_PYTHON, and the summaries
dnl of the module and of `make wheel`.
AC_DEFUN([WINNOW_CHECK_PYTHON], [
AC_ARG_ENABLE([python], [AS_HELP_STRING([--disable-python],
  [leave out the Python module (default: built where Python.h is)])],
  [], [enable_python=auto])
AC_ARG_VAR([PYTHON], [the Python interpreter, 3.11 or later])
AC_CHECK_PROGS([PYTHON], [python3 python], [:])
winnow_python_lacks=
PYTHON_CPPFLAGS=
AS_IF([test "x$enable_python" != xno],
  [winnow_python_include=`$PYTHON -c 'import sys, sysconfig
if sys.version_info >= (3, 11):
    print(sysconfig.get_paths()[["include"]])' 2>/dev/null`
   AS_IF([test -z "$winnow_python_include"],
       [winnow_python_lacks="Python 3.11"],
     [PYTHON_CPPFLAGS=-I$winnow_python_include
      winnow_save_CPPFLAGS=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS $PYTHON_CPPFLAGS"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <Python.h>]], [])], [],
        [winnow_python_lacks="Python.h (python3-dev)"])
      CPPFLAGS=$winnow_save_CPPFLAGS])])
AS_IF([test "x$enable_python" = xno], [winnow_python_summary="no, as asked"],
  [test -z "$winnow_python_lacks"], [winnow_python_summary=yes],
  [test "x$enable_python" = xauto],
    [winnow_python_summary="no, for lack of $winnow_python_lacks"],
  [AC_MSG_ERROR([the Python module was asked for, and cannot be built for lack of $winnow_python_lacks])])
dnl JAX: a header of C in the package jaxlib.
winnow_jax_include=`$PYTHON -c 'import importlib.util, os
print(os.path.join(os.path.dirname(importlib.util.find_spec("jaxlib").origin), "include"))' 2>/dev/null`
JAX_CPPFLAGS=
AS_IF([test "$winnow_python_summary" = yes &&
    test -e "$winnow_jax_include/xla/ffi/api/c_api.h"],
  [JAX_CPPFLAGS="-isystem $winnow_jax_include"
   AS_IF([grep XLA_FFI_DeviceOrdinal_Get_Args \
            "$winnow_jax_include/xla/ffi/api/c_api.h" >/dev/null],
     [JAX_CPPFLAGS="$JAX_CPPFLAGS -DWINNOW_FFI_HAS_ORDINAL"])
   dnl A header that the handlers do not compile with leaves out winnow.jax alone.
   winnow_save_CPPFLAGS=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS -I$srcdir/include $PYTHON_CPPFLAGS $JAX_CPPFLAGS"
   AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include "$srcdir/python/src/ffi.c"]])],
     [winnow_python_summary="yes, with JAX"],
     [winnow_python_summary="yes, without JAX: jaxlib's header is another one"
      JAX_CPPFLAGS=])
   CPPFLAGS=$winnow_save_CPPFLAGS])
dnl `make wheel`: setuptools has bdist_wheel from 70.1 on, the package wheel before.
AS_IF([test -n "$winnow_python_lacks" || test "x$enable_python" = xno],
    [winnow_wheel_summary="no (the Python module)"],
  [test "x$enable_shared" = xno], [winnow_wheel_summary="no (--enable-shared)"],
  [PYTHON="$PYTHON" "$srcdir/python/wheel" --check 2>/dev/null],
    [winnow_wheel_summary=yes],
  [winnow_wheel_summary="no (setuptools 70.1, or the package wheel)"])
AM_CONDITIONAL([HAVE_JAX], [test -n "$JAX_CPPFLAGS"])
AC_SUBST([JAX_CPPFLAGS])
AM_CONDITIONAL([HAVE_PYTHON], [test -z "$winnow_python_lacks" && test "x$enable_python" != xno])
AC_SUBST([PYTHON_CPPFLAGS])
])
