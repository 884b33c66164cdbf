# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
cuda_sources += \
  %D%/built_in.c \
  %D%/candidates.c \
  %D%/candidates.h \
  %D%/check.c \
  %D%/choose.c \
  %D%/file.c \
  %D%/place.c \
  %D%/place.h \
  %D%/profile.h \
  %D%/tune.c
