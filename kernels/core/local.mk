# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/bit_words.cuh \
  %D%/block_sum.cuh \
  %D%/both.h \
  %D%/clear.cu \
  %D%/clear.h \
  %D%/cursor.cuh \
  %D%/deliver.cu \
  %D%/floats.h \
  %D%/hash.h \
  %D%/kernel.cuh \
  %D%/last_block.cuh \
  %D%/peers.cuh \
  %D%/predicate.cuh \
  %D%/ptx.cuh \
  %D%/sample.cuh \
  %D%/sample.h \
  %D%/share.h \
  %D%/store.cu \
  %D%/vectors.cuh \
  %D%/warp.cuh
