# SPDX-License-Identifier: Apache-2.0
library_sources += %D%/context.c
