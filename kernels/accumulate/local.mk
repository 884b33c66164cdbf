# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/by_key.cu \
  %D%/front.cu \
  %D%/items.cuh \
  %D%/launches.cuh \
  %D%/rows.cuh \
  %D%/runs.cu \
  %D%/runs.cuh \
  %D%/sample.cuh \
  %D%/shared.cuh
