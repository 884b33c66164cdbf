# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/common.c \
  %D%/count_if.c \
  %D%/estimate.c \
  %D%/host.c \
  %D%/if.c \
  %D%/index_if.c
cuda_sources += \
  %D%/cub.c \
  %D%/explain.c \
  %D%/plan.c
