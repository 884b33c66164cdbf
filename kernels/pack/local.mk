# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/bits.cu \
  %D%/bits_copy.cu \
  %D%/bits_expand.cu \
  %D%/compact.cu \
  %D%/expand.cu \
  %D%/fill.cu \
  %D%/fill_holes.cu \
  %D%/in_place.cu \
  %D%/index.cu \
  %D%/segments.cu \
  %D%/split.cu \
  %D%/strings.cu \
  %D%/strings_parts.cu \
  %D%/strings_sum.cu \
  %D%/to_mask.cu
