# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/interpret.cu \
  %D%/interpret.cuh \
  %D%/interpret.h \
  %D%/program.h \
  %D%/scalar.h
