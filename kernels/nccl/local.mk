# SPDX-License-Identifier: Apache-2.0
# Of libwinnow-nccl: lib/nccl/local.mk.
nccl_kernel_sources = \
  %D%/args.h \
  %D%/judge.cu \
  %D%/place.cu \
  %D%/ranks.cuh \
  %D%/tell.cu \
  %D%/words.cu
EXTRA_DIST += %D%/README.md $(nccl_kernel_sources)
