# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/compare.c \
  %D%/compare.h \
  %D%/filter.h \
  %D%/find.h \
  %D%/hash.h \
  %D%/like.c \
  %D%/list.c \
  %D%/loops.c \
  %D%/loops.h \
  %D%/match.h \
  %D%/offsets.c \
  %D%/offsets_loops.h \
  %D%/segment.c \
  %D%/segment.h \
  %D%/test.c \
  %D%/test.h \
  %D%/views.c \
  %D%/words.h
