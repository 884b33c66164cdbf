# SPDX-License-Identifier: Apache-2.0
# Of libwinnow-nccl: lib/nccl/local.mk.
nccl_kernel_sources = \
  %D%/judge.cu \
  %D%/offer.cu \
  %D%/parts.cu \
  %D%/peer_place.cu \
  %D%/place.cu \
  %D%/push.cu \
  %D%/reduce.cu \
  %D%/tell.cu \
  %D%/words.cu
EXTRA_DIST += $(nccl_kernel_sources)
