# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
library_sources += \
  %D%/combine.c \
  %D%/combine.h \
  %D%/count.c \
  %D%/format.c \
  %D%/format.h \
  %D%/host.c \
  %D%/host_make.c \
  %D%/select.c \
  %D%/select.h \
  %D%/source.c \
  %D%/source.h \
  %D%/trim.c \
  %D%/trim.h
