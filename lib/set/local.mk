# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/buckets.c \
  %D%/lookup.c \
  %D%/set.c
cuda_sources += \
  %D%/device_buckets.c \
  %D%/image.c \
  %D%/perfect.c \
  %D%/tables.c
