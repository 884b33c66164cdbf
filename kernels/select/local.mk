# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/bits.cu \
  %D%/field.cu \
  %D%/if.cu \
  %D%/order.cu \
  %D%/ranges.cu \
  %D%/unique.cu \
  %D%/where.cu
