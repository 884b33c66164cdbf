# SPDX-License-Identifier: Apache-2.0
kernel_sources += \
  %D%/bits.cu \
  %D%/field.cu \
  %D%/if.cu \
  %D%/unique.cu \
  %D%/unique.h \
  %D%/where.cu \
  %D%/where.h
