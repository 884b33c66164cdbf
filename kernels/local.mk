# SPDX-License-Identifier: Apache-2.0
# A room lists its own sources.
kernel_sources =
include kernels/core/local.mk
include kernels/selection/local.mk
include kernels/set/local.mk
include kernels/string/local.mk
include kernels/expression/local.mk
include kernels/tile/local.mk
include kernels/auto/local.mk
include kernels/copy/local.mk
include kernels/select/local.mk
include kernels/pack/local.mk
include kernels/partition/local.mk
include kernels/accumulate/local.mk
include kernels/reduce/local.mk
include kernels/aggregate/local.mk
EXTRA_DIST += kernels/README.md $(kernel_sources)
# Of all rooms.
EXTRA_DIST += $(sort $(patsubst $(srcdir)/%,%,$(foreach room,* */*, \
  $(wildcard $(addprefix $(srcdir)/kernels/$(room)/,*.h *.cuh README.md)))))

if WITH_CUDA
libwinnow_internal_la_SOURCES += $(kernel_sources)
# From CUDA 13.2 on a header that CUB includes catches exceptions. None is thrown
# there, and nothing of the C++ runtime is linked for it (tests/check-symbols).
kernels/copy/cub_scan.lo: no_exceptions =
-include $(wildcard kernels/*/$(DEPDIR)/*.cu.d kernels/*/*/$(DEPDIR)/*.cu.d)
endif
