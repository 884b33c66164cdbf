# SPDX-License-Identifier: Apache-2.0
cuda_sources += \
  %D%/occupancy.c \
  %D%/plan.c \
  %D%/shapes.c \
  %D%/small.c
