# SPDX-License-Identifier: Apache-2.0
# libwinnow-nccl: on the CPU device by tests/simt/test_nccl.c.
EXTRA_DIST += tests/nccl/ranked.c tests/nccl/ranked.h
