# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/block.cuh \
  %D%/element.cuh \
  %D%/finish.cuh \
  %D%/if.cu \
  %D%/merge.h \
  %D%/packed.cuh \
  %D%/part.cuh \
  %D%/result.h
