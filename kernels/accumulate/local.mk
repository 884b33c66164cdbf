# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/by_key.cu \
  %D%/front.cu \
  %D%/runs.cu
