# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/elements.c \
  %D%/elements.h \
  %D%/flagged.c \
  %D%/if.c \
  %D%/kernels.h \
  %D%/ranges.c \
  %D%/sources.c \
  %D%/sources.h \
  %D%/unique.c \
  %D%/unique.h
