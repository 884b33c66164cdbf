# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/array.c \
  %D%/array.h \
  %D%/ascii.h \
  %D%/backend.h \
  %D%/call.c \
  %D%/call.h \
  %D%/context.h \
  %D%/explain.c \
  %D%/explain.h \
  %D%/floating.h \
  %D%/fork.h \
  %D%/operation.h \
  %D%/predicate.c \
  %D%/predicate.h \
  %D%/predicate_wide.c \
  %D%/round.h \
  %D%/seed.c \
  %D%/seed.h \
  %D%/status.c \
  %D%/status.h \
  %D%/strategy.c \
  %D%/strategy.h \
  %D%/try.h \
  %D%/type.c \
  %D%/type.h \
  %D%/version.c
