# SPDX-License-Identifier: Apache-2.0
# Files of libwinnow-mpi and of libwinnow-nccl.
ranks_sources = \
  %D%/columns.c \
  %D%/errors.c \
  %D%/options.c
EXTRA_DIST += $(ranks_sources)
