# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/bytes.cuh \
  %D%/column.h \
  %D%/compare.cu \
  %D%/find.cu \
  %D%/heads.cuh \
  %D%/index.h \
  %D%/indices.cu \
  %D%/key.cuh \
  %D%/like.h \
  %D%/look.cuh \
  %D%/match.cuh \
  %D%/pattern.h \
  %D%/test.cu \
  %D%/two_way.h
