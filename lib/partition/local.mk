# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/by_key.c \
  %D%/details.h \
  %D%/host.c
cuda_sources += \
  %D%/enqueue.c \
  %D%/estimate.c \
  %D%/kernels.c \
  %D%/plan.c \
  %D%/plan.h
