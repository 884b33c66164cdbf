# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/bound_numbers.c \
  %D%/bound_strings.c \
  %D%/bounds.c \
  %D%/bounds.h \
  %D%/builder.c \
  %D%/builder.h \
  %D%/columns.c \
  %D%/convert.c \
  %D%/expression.c \
  %D%/expression.h \
  %D%/finish.c \
  %D%/fold.c \
  %D%/host_program.h \
  %D%/key.c \
  %D%/key.h \
  %D%/lower.c \
  %D%/moment.c \
  %D%/operate.c \
  %D%/quotient.c \
  %D%/range.c \
  %D%/range.h \
  %D%/source.c \
  %D%/source.h \
  %D%/strings.c \
  %D%/strings.h \
  %D%/tested.c \
  %D%/tree.c \
  %D%/tree.h \
  %D%/values.c \
  %D%/where_groups.c \
  %D%/where_leaves.c \
  %D%/where_maker.h \
  %D%/where_nulls.c \
  %D%/where_program.c \
  %D%/where_program.h \
  %D%/where_simplify.c \
  %D%/where_tests.c \
  %D%/where_tests.h \
  %D%/where_write.c
