# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/choose.cu
