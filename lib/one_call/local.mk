# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/copy_selected.c \
  %D%/one_call.c \
  %D%/partition_if.c \
  %D%/segmented_copy_if.c \
  %D%/unique.c
cuda_sources += \
  %D%/one_pass.c \
  %D%/records.c
