# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/both.h \
  %D%/clear.cu \
  %D%/clear.h \
  %D%/cursor.cuh \
  %D%/kernel.cuh \
  %D%/predicate.cuh \
  %D%/ptx.cuh \
  %D%/warp.cuh
