# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/bits_host.c \
  %D%/columns.c \
  %D%/compact.c \
  %D%/compact_index.c \
  %D%/expand.c \
  %D%/fill.c \
  %D%/fill_holes.c \
  %D%/fill_holes_host.c \
  %D%/in_place_host.c \
  %D%/rows.c \
  %D%/segments.c \
  %D%/split.c \
  %D%/strings.c \
  %D%/strings_host.c \
  %D%/tile_host.c \
  %D%/to_mask.c
cuda_sources += \
  %D%/bits_cuda.c \
  %D%/columns_cuda.c \
  %D%/fill_holes_cuda.c \
  %D%/strings_cuda.c
