# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/by_key.c \
  %D%/by_partition.h \
  %D%/details.h \
  %D%/host.c \
  %D%/sums.h
cuda_sources += \
  %D%/by_partition.c \
  %D%/enqueue.c \
  %D%/sums.c
