# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/by_key.c \
  %D%/details.h \
  %D%/host.c \
  %D%/sums.h
cuda_sources += \
  %D%/enqueue.c \
  %D%/sums.c
