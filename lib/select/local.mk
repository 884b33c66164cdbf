# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/elements.c \
  %D%/elements.h \
  %D%/flagged.c \
  %D%/if.c \
  %D%/ranges.c \
  %D%/prepare.c \
  %D%/source.c \
  %D%/source.h \
  %D%/unique.c \
  %D%/unique.h \
  %D%/where.c \
  %D%/where.h \
  %D%/where_groups.c \
  %D%/where_host.c \
  %D%/where_leaves.c \
  %D%/where_maker.h \
  %D%/where_nulls.c \
  %D%/where_order.c \
  %D%/where_order.h \
  %D%/where_program.c \
  %D%/where_program.h \
  %D%/where_simplify.c \
  %D%/where_strings.c \
  %D%/where_strings.h \
  %D%/where_tests.c \
  %D%/where_tests.h \
  %D%/where_values.c \
  %D%/where_values.h \
  %D%/where_values_host.c \
  %D%/where_write.c
cuda_sources += \
  %D%/where_compiled.c \
  %D%/where_compiled.h \
  %D%/where_cuda.c \
  %D%/where_strings_cuda.c \
  %D%/where_values_cuda.c
