# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/common.c \
  %D%/common.h \
  %D%/count_if.c \
  %D%/estimate.c \
  %D%/host.c \
  %D%/host.h \
  %D%/if.c \
  %D%/index_if.c
cuda_sources += \
  %D%/copy.h \
  %D%/cub.c \
  %D%/explain.c \
  %D%/plan.c
