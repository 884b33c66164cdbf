# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/array.c \
  %D%/call.c \
  %D%/explain.c \
  %D%/predicate.c \
  %D%/seed.c \
  %D%/status.c \
  %D%/strategy.c \
  %D%/type.c \
  %D%/version.c
