# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/blocks.c \
  %D%/blocks.h \
  %D%/check.c \
  %D%/check.h \
  %D%/columns.c \
  %D%/columns.h \
  %D%/device.c \
  %D%/device.h \
  %D%/dictionary.c \
  %D%/filter.c \
  %D%/filter.h \
  %D%/lists.c \
  %D%/lists_device.c \
  %D%/output.c \
  %D%/output.h \
  %D%/pack.c \
  %D%/pack.h \
  %D%/parse.c \
  %D%/stream.c \
  %D%/strings.c \
  %D%/type.c \
  %D%/type.h \
  %D%/views.c
cuda_sources += %D%/device_cuda.c
