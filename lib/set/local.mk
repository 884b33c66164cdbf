# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/distinct.c \
  %D%/distinct.h \
  %D%/distinct_loops.h \
  %D%/set.c \
  %D%/set.h
