# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/bits.c \
  %D%/bits.h \
  %D%/bits_host.c \
  %D%/columns.c \
  %D%/columns.h \
  %D%/compact.c \
  %D%/compact_index.c \
  %D%/expand.c \
  %D%/fill_holes.c \
  %D%/fill_holes.h \
  %D%/fill_holes_host.c \
  %D%/in_place_host.c \
  %D%/kernels.h \
  %D%/rows.c \
  %D%/rows.h \
  %D%/segments.c \
  %D%/segments.h \
  %D%/split.c \
  %D%/split.h \
  %D%/strings.c \
  %D%/strings.h \
  %D%/strings_host.c \
  %D%/tile_host.c \
  %D%/tile_host.h \
  %D%/to_mask.c
cuda_sources += \
  %D%/bits_cuda.c \
  %D%/columns_cuda.c \
  %D%/fill_holes_cuda.c \
  %D%/strings_cuda.c
