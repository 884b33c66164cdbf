# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
cuda_sources += \
  %D%/candidates.c \
  %D%/check.c \
  %D%/choice.h \
  %D%/choose.c \
  %D%/file.c \
  %D%/place.c \
  %D%/place.h \
  %D%/profile.h \
  %D%/strategies.h \
  %D%/tune.c
