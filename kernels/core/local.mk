# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/clear.cu \
  %D%/deliver.cu \
  %D%/store.cu
