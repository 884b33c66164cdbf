# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/copy_selected.c \
  %D%/marked.c \
  %D%/marked.h \
  %D%/partition_if.c \
  %D%/segmented_copy_if.c \
  %D%/unique.c
cuda_sources += \
  %D%/keyed_columns.c \
  %D%/keyed_columns.h \
  %D%/records.c \
  %D%/records.h
