# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/block_rank.cuh \
  %D%/bulk.cuh \
  %D%/count.cu \
  %D%/count_parts.cu \
  %D%/counters.cuh \
  %D%/digit.cuh \
  %D%/estimate.cuh \
  %D%/exact.cuh \
  %D%/part_counts.cuh \
  %D%/places.cuh \
  %D%/rank.cuh \
  %D%/read.cuh \
  %D%/region.cuh \
  %D%/repair.cu \
  %D%/reserve.cuh \
  %D%/sample.cu \
  %D%/scan.cuh \
  %D%/scatter.cu \
  %D%/scatter_estimated.cu \
  %D%/scatter_exact.cu \
  %D%/staged_column.cuh \
  %D%/tile.cuh \
  %D%/vector.cuh \
  %D%/warp_rank.cuh \
  %D%/width.cuh \
  %D%/write.cuh
