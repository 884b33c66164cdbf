# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/compact.cu \
  %D%/expand.cu \
  %D%/batch.cuh \
  %D%/in_place.cu \
  %D%/index.cu \
  %D%/rows.cuh \
  %D%/segments.cu \
  %D%/split.cu \
  %D%/to_mask.cu \
  %D%/tuning.cuh
