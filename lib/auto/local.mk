# SPDX-License-Identifier: Apache-2.0
cuda_sources += \
  %D%/candidates.c \
  %D%/check.c \
  %D%/choose.c \
  %D%/file.c \
  %D%/place.c \
  %D%/tune.c
