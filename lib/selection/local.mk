# SPDX-License-Identifier: Apache-2.0
library_sources += \
  %D%/combine.c \
  %D%/count.c \
  %D%/format.c \
  %D%/host.c \
  %D%/host_make.c \
  %D%/select.c \
  %D%/sink.c \
  %D%/source.c
