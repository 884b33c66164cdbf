# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/elements.c \
  %D%/flagged.c \
  %D%/if.c \
  %D%/ranges.c \
  %D%/sources.c \
  %D%/unique.c
