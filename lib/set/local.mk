# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/buckets.c \
  %D%/buckets_loops.h \
  %D%/distinct.c \
  %D%/distinct.h \
  %D%/distinct_loops.h \
  %D%/lookup.c \
  %D%/lookup.h \
  %D%/set.c \
  %D%/set.h
cuda_sources += \
  %D%/device_buckets.c \
  %D%/device_buckets.h \
  %D%/device_buckets_loops.h \
  %D%/image.c \
  %D%/image.h \
  %D%/perfect.c \
  %D%/perfect.h \
  %D%/tables.c \
  %D%/tables.h
