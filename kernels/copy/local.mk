# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/atomics.cu \
  %D%/cluster.cu \
  %D%/count.cu \
  %D%/cub_scan.cu \
  %D%/estimate.cu \
  %D%/one_wave.cu \
  %D%/single_block.cu \
  %D%/software_atomic.cu \
  %D%/tile_aggregated.cu \
  %D%/tile_scan.cu
