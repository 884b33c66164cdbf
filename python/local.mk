# The Python module: an extension that uses the library. `make check` builds and tests
# it if Python.h is installed. `make wheel` packs it with the library.
#
# SPDX-License-Identifier: Apache-2.0

python_sources = \
  python/src/array.c python/src/array.h \
  python/src/arrow.c python/src/arrow.h \
  python/src/buffer.c \
  python/src/call.c python/src/call.h \
  python/src/cupy.c \
  python/src/dlpack.h \
  python/src/exchange.c \
  python/src/filters.c python/src/filters.h \
  python/src/holes.c \
  python/src/interface.c \
  python/src/kept.c python/src/kept.h \
  python/src/keyed.c python/src/keyed.h \
  python/src/kind.c python/src/kind.h \
  python/src/module.c python/src/ndarray.c python/src/state.h \
  python/src/operations.c python/src/operations.h \
  python/src/prepared.c python/src/prepared.h \
  python/src/reads.c python/src/reads.h \
  python/src/reduction.c python/src/reduction.h \
  python/src/reductions.c python/src/reductions.h \
  python/src/result.c python/src/result.h \
  python/src/selection.c python/src/selection.h \
  python/src/sink.h python/src/sinks.c python/src/sums.c \
  python/src/table.c python/src/table.h \
  python/src/tensor.c \
  python/src/view.c python/src/view.h \
  python/src/words.c python/src/words.h \
  python/src/work.c python/src/work.h
python_modules = \
  python/winnow/__init__.py python/winnow/__main__.py \
  python/winnow/_arrow.py python/winnow/_blocks.py python/winnow/_cache.py \
  python/winnow/_command.py python/winnow/_csv.py python/winnow/_cuda.py \
  python/winnow/_ending.py python/winnow/_expression.py \
  python/winnow/_files.py python/winnow/_fill.py python/winnow/_keys.py \
  python/winnow/_kinds.py python/winnow/_library.py \
  python/winnow/_nvrtc.py python/winnow/_output.py \
  python/winnow/_prepare.py python/winnow/_progress.py \
  python/winnow/_pushdown.py \
  python/winnow/_reduce.py python/winnow/_result.py python/winnow/_selection.py \
  python/winnow/_sources.py python/winnow/_streams.py \
  python/winnow/_tables.py python/winnow/_tensors.py python/winnow/_types.py \
  python/winnow/jax.py python/winnow/torch.py \
  python/winnow/_ffi.pyi python/winnow/_winnow.pyi python/winnow/py.typed
python_tests = \
  python/tests/arrays.py python/tests/layouts.py python/tests/producer.py python/tests/tables.py \
  python/tests/test_aggregate.py \
  python/tests/test_arrays.py python/tests/test_arrow.py \
  python/tests/arrow python/tests/test_arrow_files.py \
  python/tests/test_cache.py python/tests/test_conditions.py \
  python/tests/test_constants.py \
  python/tests/test_decimals.py \
  python/tests/test_csv.py \
  python/tests/test_cuda_condition.py python/tests/test_devices.py \
  python/tests/on_stand_in.py python/tests/stand_in.cc python/tests/stand_in_cupy.py \
  python/tests/stand_in_layouts.py python/tests/stand_in_numba.py python/tests/stand_in_torch.py \
  python/tests/tap.py \
  python/tests/stand_in.py python/tests/test_dlpack.py \
  python/tests/test_ends.py python/tests/test_engines.py \
  python/tests/test_errors.py \
  python/tests/test_files.py \
  python/tests/test_filters.py python/tests/test_gpu.py \
  python/tests/test_gpu_arrow.py python/tests/test_gpu_streams.py \
  python/tests/test_readme.py \
  python/tests/test_jax.py python/tests/test_kept.py python/tests/test_keys.py \
  python/tests/test_layouts.py python/tests/test_memory.py \
  python/tests/test_moments.py python/tests/test_nvrtc.py \
  python/tests/test_packaging.py python/tests/test_processes.py \
  python/tests/test_properties.py python/tests/test_pushdown.py \
  python/tests/test_selections.py \
  python/tests/test_tables.py python/tests/test_torch.py \
  python/tests/test_values.py \
  python/tests/test_words.py
EXTRA_DIST += $(python_modules) $(python_tests) python/README.md \
  python/NOTICE python/in-c-only python/bench/calls.py \
  python/bench/device_tables.py python/bench/experts.py \
  python/pyproject.toml python/setup.py

if HAVE_PYTHON
check_LTLIBRARIES += python/_winnow.la
python__winnow_la_SOURCES = $(python_sources)
python__winnow_la_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)
python__winnow_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
python__winnow_la_LIBADD = libwinnow.la
# -rpath makes libtool build a shared library, although it is not installed.
python__winnow_la_LDFLAGS = -module -avoid-version -shared \
  -rpath '$(abs_builddir)/python'
TESTS += python/tests/check

if HAVE_JAX
check_LTLIBRARIES += python/_ffi.la
python__ffi_la_SOURCES = python/src/ffi.c
python__ffi_la_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS) $(JAX_CPPFLAGS)
python__ffi_la_CFLAGS = $(AM_CFLAGS) -pthread -fvisibility=hidden
python__ffi_la_LIBADD = libwinnow.la
python__ffi_la_LDFLAGS = $(python__winnow_la_LDFLAGS)
endif
endif
dist_check_SCRIPTS += python/tests/check python/wheel

# A wheel with the library inside, in the build folder. The check of the interpreter
# comes first, before the library is built.
wheel:
	$(AM_V_at)PYTHON='$(PYTHON)' '$(top_srcdir)/python/wheel' --check
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) libwinnow.la
	$(AM_V_GEN)PYTHON='$(PYTHON)' CC='$(CC)' CFLAGS='$(CFLAGS)' \
	  '$(top_srcdir)/python/wheel' '$(abs_top_srcdir)' '$(abs_builddir)'
.PHONY: wheel

clean-local: python-clean
python-clean:
	-rm -rf python/package python/wheel-build python/libwinnow-*.whl
.PHONY: python-clean
