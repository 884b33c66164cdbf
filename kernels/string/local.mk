# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/compare.cu \
  %D%/find.cu \
  %D%/indices.cu \
  %D%/test.cu
