# SPDX-License-Identifier: Apache-2.0
# winnow, the program. It uses the public API alone.
program_sources = \
  programs/fail.c programs/fail.h \
  programs/fields.c programs/fields.h \
  programs/input.c programs/input.h \
  programs/main.c \
  programs/npy.c programs/npy.h \
  programs/options.c programs/options.h \
  programs/output.c programs/output.h \
  programs/progress.c programs/progress.h \
  programs/record.c programs/record.h \
  programs/reduce.c programs/reduce.h \
  programs/report.c programs/report.h \
  programs/table.c programs/table.h
EXTRA_DIST += programs/README.md

if HAVE_PROGRAM
bin_PROGRAMS += programs/winnow
programs_winnow_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
programs_winnow_SOURCES = $(program_sources)
programs_winnow_LDADD = libwinnow.la $(JANSSON_LIBS) $(ARGP_LIBS)
endif
