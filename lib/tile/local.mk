# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
cuda_sources += \
  %D%/occupancy.c \
  %D%/plan.c \
  %D%/plan.h \
  %D%/shapes.c \
  %D%/shapes.h \
  %D%/small.c
