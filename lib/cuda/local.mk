# SPDX-License-Identifier: Apache-2.0
cuda_sources += \
  %D%/capture.c \
  %D%/context.c \
  %D%/driver.c \
  %D%/enter.c \
  %D%/fetch.c \
  %D%/launch.c \
  %D%/load.c \
  %D%/memory.c \
  %D%/plan.c \
  %D%/reach.c \
  %D%/ready.c \
  %D%/run.c \
  %D%/slot.c \
  %D%/status.c
