# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/bits.cu \
  %D%/field.cu \
  %D%/if.cu \
  %D%/order.cu \
  %D%/order.h \
  %D%/ranges.cu \
  %D%/ranges.h \
  %D%/unique.cu \
  %D%/unique.h \
  %D%/where.cu \
  %D%/where.cuh \
  %D%/where.h \
  %D%/where_sets.cuh
