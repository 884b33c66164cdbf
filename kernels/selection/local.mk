# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/combine.cu \
  %D%/scan.cu
