# SPDX-License-Identifier: Apache-2.0
# Of libwinnow-nccl: lib/nccl/local.mk.
nccl_kernel_sources = \
  %D%/agree.cu \
  %D%/offer.cu \
  %D%/place.cu \
  %D%/push.cu \
  %D%/reduce.cu
EXTRA_DIST += $(nccl_kernel_sources)
