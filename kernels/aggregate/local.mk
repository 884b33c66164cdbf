# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/args.h \
  %D%/finish.cu \
  %D%/reduce.cu \
  %D%/result.cuh
