# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
cuda_sources += \
  %D%/backend.h \
  %D%/capture.c \
  %D%/context.c \
  %D%/context.h \
  %D%/driver.c \
  %D%/enter.c \
  %D%/fetch.c \
  %D%/launch.c \
  %D%/launch.h \
  %D%/load.c \
  %D%/memory.c \
  %D%/memory.h \
  %D%/plan.c \
  %D%/plan.h \
  %D%/reach.c \
  %D%/ready.c \
  %D%/run.c \
  %D%/run.h \
  %D%/slot.c \
  %D%/slot.h \
  %D%/status.c
