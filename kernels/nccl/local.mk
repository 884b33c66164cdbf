# SPDX-License-Identifier: Apache-2.0
# Of libwinnow-nccl: lib/nccl/local.mk.
nccl_kernel_sources = \
  %D%/args.h \
  %D%/bytes.cuh \
  %D%/judge.cu \
  %D%/offer.cu \
  %D%/parts.cu \
  %D%/peer_place.cu \
  %D%/place.cu \
  %D%/push.cu \
  %D%/ranks.cuh \
  %D%/reduce.cu \
  %D%/round.cuh \
  %D%/tell.cu \
  %D%/words.cu
EXTRA_DIST += %D%/README.md $(nccl_kernel_sources)
