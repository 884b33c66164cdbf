# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/combine.cu \
  %D%/items.cuh \
  %D%/make.cuh \
  %D%/scan.cu \
  %D%/use.cuh
