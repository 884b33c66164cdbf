# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/block.cu \
  %D%/block_rank.cuh \
  %D%/columns.cuh \
  %D%/count.cu \
  %D%/count_parts.cu \
  %D%/counters.cuh \
  %D%/digit.cuh \
  %D%/estimate/estimate.h \
  %D%/estimate/places.cuh \
  %D%/estimate/regions.cuh \
  %D%/estimate/repair.cu \
  %D%/estimate/sample.cu \
  %D%/estimate/scatter.cu \
  %D%/exact.cu \
  %D%/exact.cuh \
  %D%/lane_rank.cuh \
  %D%/lanes.cu \
  %D%/limits.h \
  %D%/ordered_rank.cuh \
  %D%/own.cuh \
  %D%/part_counts.cuh \
  %D%/read.cuh \
  %D%/reserved.cuh \
  %D%/runs.cuh \
  %D%/scatter.cuh \
  %D%/shape.cuh \
  %D%/warp_rank.cuh \
  %D%/warps.cu \
  %D%/width.cuh
