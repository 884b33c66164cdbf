# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/chunk.c \
  %D%/create.c \
  %D%/feed.c \
  %D%/host.c \
  %D%/map.c \
  %D%/sink.c \
  %D%/source.c
cuda_sources += \
  %D%/cuda.c \
  %D%/cuda_chunks.c \
  %D%/cuda_feed.c \
  %D%/cuda_memory.c \
  %D%/late.c \
  %D%/register.c \
  %D%/staging.c \
  %D%/workers.c
