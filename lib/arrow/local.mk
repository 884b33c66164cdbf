# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/blocks.c \
  %D%/check.c \
  %D%/columns.c \
  %D%/device.c \
  %D%/dictionary.c \
  %D%/filter.c \
  %D%/lists.c \
  %D%/lists_device.c \
  %D%/output.c \
  %D%/pack.c \
  %D%/parse.c \
  %D%/stream.c \
  %D%/strings.c \
  %D%/type.c \
  %D%/views.c
