# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/block.cu \
  %D%/blocks.cu \
  %D%/count.cu \
  %D%/count_parts.cu \
  %D%/estimate/repair.cu \
  %D%/estimate/sample.cu \
  %D%/estimate/scatter.cu \
  %D%/exact.cu \
  %D%/lanes.cu \
  %D%/small.cu \
  %D%/warps.cu
