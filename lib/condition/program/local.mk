# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/bound_numbers.c \
  %D%/bounds.c \
  %D%/builder.c \
  %D%/convert.c \
  %D%/expression.c \
  %D%/decimal.c \
  %D%/decimal_operate.c \
  %D%/decimal_round.c \
  %D%/finish.c \
  %D%/fold.c \
  %D%/key.c \
  %D%/lower.c \
  %D%/moment.c \
  %D%/operate.c \
  %D%/range.c \
  %D%/tree.c \
  %D%/values.c \
  %D%/where_groups.c \
  %D%/where_program.c \
  %D%/where_simplify.c \
  %D%/where_tests.c \
  %D%/where_write.c
