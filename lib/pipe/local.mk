# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/chunk.c \
  %D%/chunk.h \
  %D%/create.c \
  %D%/feed.c \
  %D%/host.c \
  %D%/map.c \
  %D%/map.h \
  %D%/pipe.h \
  %D%/sink.c \
  %D%/sink.h \
  %D%/source.c \
  %D%/source.h
cuda_sources += \
  %D%/cuda.c \
  %D%/cuda.h \
  %D%/cuda_chunks.c \
  %D%/cuda_feed.c \
  %D%/cuda_memory.c \
  %D%/late.c \
  %D%/register.c \
  %D%/register.h \
  %D%/staging.c \
  %D%/staging.h \
  %D%/workers.c \
  %D%/workers.h
