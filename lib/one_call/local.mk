# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/copy_selected.c \
  %D%/one_call.c \
  %D%/one_call.h \
  %D%/partition_if.c \
  %D%/segmented_copy_if.c \
  %D%/unique.c
cuda_sources += \
  %D%/one_pass.c \
  %D%/one_pass.h \
  %D%/records.c \
  %D%/records.h
