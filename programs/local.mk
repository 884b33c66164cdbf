# SPDX-License-Identifier: Apache-2.0
# winnow, the program. It uses the public API alone.
npy_sources = programs/npy.c programs/npy.h programs/record.c programs/record.h
program_sources = $(npy_sources) \
  programs/decimal.c programs/decimal.h \
  programs/elsewhere.c programs/elsewhere.h \
  programs/fail.c programs/fail.h \
  programs/fields.c programs/fields.h \
  programs/input.c programs/input.h \
  programs/main.c \
  programs/options.c programs/options.h \
  programs/output.c programs/output.h \
  programs/progress.c programs/progress.h \
  programs/reduce.c programs/reduce.h \
  programs/report.c programs/report.h \
  programs/streams.c programs/streams.h \
  programs/table.c programs/table.h
EXTRA_DIST += programs/README.md programs/completions/winnow man/winnow.1 \
  tests/program-cases
dist_check_SCRIPTS += tests/check-winnow tests/run-program-cases

if HAVE_PROGRAM
bin_PROGRAMS += programs/winnow
programs_winnow_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
programs_winnow_SOURCES = $(program_sources)
programs_winnow_LDADD = libwinnow.la $(JANSSON_LIBS) $(ARGP_LIBS)
dist_man_MANS += man/winnow.1

# Where bash looks, for programs of the same prefix.
completionsdir = $(datadir)/bash-completion/completions
dist_completions_DATA = programs/completions/winnow

TESTS += tests/check-winnow
$(patsubst %,tests/%.log,check-winnow): programs/winnow

check_PROGRAMS += tests/programs/test_program_memory
TESTS += tests/programs/test_program_memory
tests_programs_test_program_memory_CPPFLAGS = $(programs_winnow_CPPFLAGS) \
  -I$(top_srcdir) -Dmain=program_main
tests_programs_test_program_memory_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes
tests_programs_test_program_memory_SOURCES = \
  tests/programs/test_program_memory.c \
  tests/failing_malloc.c tests/failing_malloc.h $(program_sources)
tests_programs_test_program_memory_LDADD = $(programs_winnow_LDADD)
endif

# Headers of .npy files, of any bytes; and the fuzzer of whole ones.
check_PROGRAMS += tests/fuzz/fuzz_npy tests/fuzz/npy_file
TESTS += tests/fuzz/fuzz_npy
npy_use_sources = tests/fuzz/npy_use.c tests/fuzz/npy_use.h
tests_fuzz_fuzz_npy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_npy_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_npy_SOURCES = tests/fuzz/fuzz_npy.c \
  $(npy_use_sources) $(npy_sources)
tests_fuzz_fuzz_npy_LDADD = libwinnow.la
tests_fuzz_npy_file_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_npy_file_CFLAGS = $(AM_CFLAGS)
tests_fuzz_npy_file_SOURCES = tests/fuzz/npy_file.c $(npy_use_sources) \
  $(npy_sources) $(fuzz_sources)
tests_fuzz_npy_file_LDADD = libwinnow.la
