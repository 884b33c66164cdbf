# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/cluster.cu \
  %D%/count.cu \
  %D%/cub_scan.cu \
  %D%/estimate.cu \
  %D%/global_atomic.cu \
  %D%/one_wave.cu \
  %D%/shared_atomic.cu \
  %D%/single_block.cu \
  %D%/software_atomic.cu \
  %D%/tile_aggregated.cu \
  %D%/tile_scan.cu \
  %D%/warp_aggregated.cu \
  %D%/warp_shared.cu
