# SPDX-License-Identifier: Apache-2.0
include %D%/text/local.mk
include %D%/program/local.mk
include %D%/run/local.mk
include %D%/compile/local.mk
