dnl WINNOW_CHECK_CUDA: the CUDA toolkit, its runtime library, and what to build for.
dnl
dnl   --with-cuda[=DIR]     the toolkit; fails when it is not there
dnl   --without-cuda        the host backend alone
dnl   (neither)             CUDA when a toolkit is found, else the host backend
dnl   --with-cuda-arch=LIST 75,80,...: compute capabilities, the last as PTX too,
dnl                         or 9.0 where that is above
dnl   --with-cudart=static|shared
dnl
dnl Sets NVCC, CUDA_CPPFLAGS, CUDA_GENCODE, PEERS_GENCODE, CUDART_LIBS,
dnl CUDART_LIBS_PRIVATE and the conditional WITH_CUDA.
AC_DEFUN([WINNOW_CHECK_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
  [the CUDA toolkit (default: nvcc on PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda)])],
  [], [with_cuda=check])
AC_ARG_WITH([cuda-arch], [AS_HELP_STRING([--with-cuda-arch=LIST],
  [compute capabilities to build for, e.g. 80,90 (default: all that matter)])],
  [], [with_cuda_arch=default])
AC_ARG_WITH([cudart], [AS_HELP_STRING([--with-cudart=static|shared],
  [how to link the CUDA runtime (default: static)])],
  [], [with_cudart=static])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
: ${NVCCFLAGS=-O3}

winnow_cuda=no
AS_IF([test "x$with_cuda" != xno], [
  AS_CASE([$with_cuda],
    [yes|check], [
      AC_MSG_CHECKING([for a CUDA compiler])
      # The first that is recent enough; if none is, the first.
      winnow_first=
      winnow_save_IFS=$IFS
      IFS=:
      for winnow_dir in $PATH "$CUDA_HOME/bin" "$CUDA_PATH/bin" /usr/local/cuda/bin
      do
        IFS=$winnow_save_IFS
        AS_IF([test -z "$NVCC" && test -x "$winnow_dir/nvcc"], [
          winnow_release=$("$winnow_dir/nvcc" --version 2>/dev/null |
            sed -n 's/.*release \([[0-9.]]*\),.*/\1/p')
          AS_VERSION_COMPARE([$winnow_release], [12.1],
            [test -n "$winnow_first" || winnow_first=$winnow_dir/nvcc],
            [NVCC=$winnow_dir/nvcc], [NVCC=$winnow_dir/nvcc])])
      done
      IFS=$winnow_save_IFS
      test -n "$NVCC" || NVCC=$winnow_first
      AC_MSG_RESULT([${NVCC:-no}])],
    [AS_IF([test -z "$NVCC"], [NVCC=$with_cuda/bin/nvcc])])
  AC_MSG_CHECKING([whether the CUDA compiler works])
  AS_IF([test -n "$NVCC" && "$NVCC" --version >conftest.nvcc 2>&1],
    [winnow_cuda=yes
     winnow_cuda_version=$(sed -n 's/.*release \([[0-9.]]*\),.*/\1/p' conftest.nvcc)
     AC_MSG_RESULT([yes, $winnow_cuda_version])],
    [AC_MSG_RESULT([no])
     AS_IF([test "x$with_cuda" != xcheck],
       [AC_MSG_ERROR([CUDA was asked for, and there is no working nvcc (looked for: ${NVCC:-nvcc on PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda})])])])
  rm -f conftest.nvcc
])

dnl The oldest whose assembler knows all instructions that are used.
AS_IF([test $winnow_cuda = yes], [
  AS_VERSION_COMPARE([$winnow_cuda_version], [12.1], [
    winnow_cuda=no
    AS_IF([test "x$with_cuda" = xcheck],
      [AC_MSG_WARN([CUDA $winnow_cuda_version is too old, 12.1 is needed: the host backend alone])],
      [AC_MSG_ERROR([CUDA $winnow_cuda_version is too old: 12.1 is needed])])])])

AS_IF([test $winnow_cuda = yes], [
  AS_CASE([$with_cuda],
    [yes|check], [
      winnow_nvcc=$(readlink -f "$NVCC" 2>/dev/null || echo "$NVCC")
      winnow_cuda_home=$(dirname "$(dirname "$winnow_nvcc")")],
    [winnow_cuda_home=$with_cuda])
  winnow_cuda_lib=$winnow_cuda_home/lib64
  AS_IF([test ! -d "$winnow_cuda_lib"], [winnow_cuda_lib=$winnow_cuda_home/lib])
  CUDA_CPPFLAGS="-I$winnow_cuda_home/include"
  winnow_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
  AC_CHECK_HEADER([cuda_runtime_api.h], [], [AC_MSG_ERROR(
    [nvcc is there, and cuda_runtime_api.h is not in $winnow_cuda_home/include])])
  CPPFLAGS=$winnow_save_CPPFLAGS

  AC_MSG_CHECKING([which CUDA architectures to build for])
  AS_IF([test "x$with_cuda_arch" = xdefault], [
    winnow_supported=" $("$NVCC" --list-gpu-code | sed 's/sm_//' | tr '\n' ' ') "
    with_cuda_arch=
    # 8.6 and 8.9 run the code for 8.0.
    for winnow_arch in 75 80 90 100 120; do
      AS_CASE([$winnow_supported], [*" $winnow_arch "*],
        [AS_VAR_APPEND([with_cuda_arch], ["$winnow_arch "])])
    done])
  # PTX for 9.0 serves 10.0 and later: making PTX is half of the build's time.
  # Of CUDA 13.0's own PTX for 12.0, ptxas makes kernels that spill more
  # registers. The peers have PTX of their own, by which CUB chooses its tuning.
  CUDA_GENCODE=
  PEERS_GENCODE=
  winnow_newest=
  for winnow_arch in $(echo "$with_cuda_arch" | tr ',;' '  '); do
    AS_CASE([$winnow_arch], [*[[!0-9a-z]]*],
      [AC_MSG_ERROR([--with-cuda-arch takes numbers such as 80,90, not '$winnow_arch'])])
    AS_VAR_APPEND([PEERS_GENCODE],
      ["-gencode=arch=compute_$winnow_arch,code=sm_$winnow_arch "])
    AS_CASE([$winnow_arch],
      [[[1-9]][[0-9]][[0-9]]], [winnow_newest=90], [winnow_newest=$winnow_arch])
    AS_VAR_APPEND([CUDA_GENCODE],
      ["-gencode=arch=compute_$winnow_newest,code=sm_$winnow_arch "])
  done
  AS_IF([test -z "$winnow_newest"], [AC_MSG_ERROR([--with-cuda-arch is empty])])
  AS_VAR_APPEND([CUDA_GENCODE],
    ["-gencode=arch=compute_$winnow_newest,code=compute_$winnow_newest"])
  AS_VAR_APPEND([PEERS_GENCODE],
    ["-gencode=arch=compute_$winnow_arch,code=compute_$winnow_arch"])
  AC_MSG_RESULT([$with_cuda_arch, PTX for $winnow_newest])

  AS_CASE([$with_cudart],
    [static], [CUDART_LIBS="-L$winnow_cuda_lib -lcudart_static -lrt -lpthread -ldl"],
    [shared], [CUDART_LIBS="-L$winnow_cuda_lib -lcudart"],
    [AC_MSG_ERROR([--with-cudart takes static or shared, not '$with_cudart'])])
  AC_MSG_CHECKING([whether a program links with the CUDA runtime ($with_cudart)])
  winnow_save_LIBS=$LIBS
  LIBS="$CUDART_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[int cudaGetDeviceCount(int *);]],
      [[int n; return cudaGetDeviceCount(&n);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([no CUDA runtime to link with in $winnow_cuda_lib])])
  LIBS=$winnow_save_LIBS
  # nvcc's launch stubs refer to the C++ runtime's guards for local statics,
  # and to nothing else of it. The shared library takes those from the archive;
  # a program that links the static library needs the same.
  WINNOW_CXX_PRIVATE=-lsupc++
  AC_DEFINE([WINNOW_CUDA], [1], [Define to 1 in a build with the CUDA backend.])
  winnow_cuda_summary="$winnow_cuda_version for $with_cuda_arch, runtime $with_cudart"
], [winnow_cuda_summary="no: the host backend alone"])
AM_CONDITIONAL([WITH_CUDA], [test $winnow_cuda = yes])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_GENCODE])
AC_SUBST([PEERS_GENCODE])
AC_SUBST([CUDART_LIBS])
AC_SUBST([WINNOW_CXX_PRIVATE])
])
