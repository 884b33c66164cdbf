# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/column.h \
  %D%/like.h \
  %D%/pattern.h
