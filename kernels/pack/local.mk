# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/bits.cu \
  %D%/bits.cuh \
  %D%/bits_copy.cu \
  %D%/bits_expand.cu \
  %D%/compact.cu \
  %D%/expand.cu \
  %D%/batch.cuh \
  %D%/fill_holes.cu \
  %D%/in_place.cu \
  %D%/index.cu \
  %D%/rows.cuh \
  %D%/segments.cu \
  %D%/split.cu \
  %D%/strings.cu \
  %D%/strings.cuh \
  %D%/strings.h \
  %D%/strings_parts.cu \
  %D%/strings_sum.cu \
  %D%/to_mask.cu \
  %D%/tuning.cuh
