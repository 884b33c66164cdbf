# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/compare.c \
  %D%/like.c \
  %D%/list.c \
  %D%/loops.c \
  %D%/segment.c \
  %D%/test.c
