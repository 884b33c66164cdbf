# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/args.h \
  %D%/combine.cu \
  %D%/items.cuh \
  %D%/make.cuh \
  %D%/scan.cu \
  %D%/use.cuh
