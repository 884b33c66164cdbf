# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/build.c \
  %D%/cast.c \
  %D%/compare.c \
  %D%/compare_strings.c \
  %D%/compare_values.c \
  %D%/cuda.c \
  %D%/date.c \
  %D%/fold.c \
  %D%/foreign.c \
  %D%/format.c \
  %D%/functions.c \
  %D%/list.c \
  %D%/mask.c \
  %D%/match.c \
  %D%/moment.c \
  %D%/names.c \
  %D%/nearest.c \
  %D%/nodes.c \
  %D%/nulls.c \
  %D%/number.c \
  %D%/operand.c \
  %D%/operand_kind.c \
  %D%/operators.c \
  %D%/parse.y \
  %D%/range.c \
  %D%/scan.l \
  %D%/strings.c \
  %D%/text.c \
  %D%/truth.c \
  %D%/wide.c \
  %D%/words.c \
  %D%/years.c
# What bison and flex write for the text of conditions: without #line, so that the
# same sources make the same bytes in any folder.
AM_YFLAGS = -d -l -Wno-yacc
AM_LFLAGS = -L
%D%/scan.c: %D%/parse.h
