# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/blocks.c \
  %D%/by_key.c \
  %D%/host.c
cuda_sources += \
  %D%/enqueue.c \
  %D%/enqueue_blocks.c \
  %D%/estimate.c \
  %D%/kernels.c \
  %D%/plan.c \
  %D%/small.c
