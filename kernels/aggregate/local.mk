# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/finish.cu \
  %D%/reduce.cu
