# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += $(kernel_sources)
kernel_sources = \
  kernels/args.h kernels/arguments.cuh \
  kernels/clear.cu kernels/clear.h \
  kernels/cluster.cuh \
  kernels/count.cu \
  kernels/cub_scan.cu kernels/cub_scan.h \
  kernels/cursor.cuh \
  kernels/estimate.cu \
  kernels/global_atomic.cu \
  kernels/hold.cuh \
  kernels/load.cuh \
  kernels/overlap.cuh \
  kernels/place.cuh \
  kernels/predicate.cuh \
  kernels/ptx.cuh \
  kernels/publish.cuh \
  kernels/quad.cuh \
  kernels/rank.cuh \
  kernels/row.cuh \
  kernels/sample.h \
  kernels/shared_atomic.cu \
  kernels/stage.cuh \
  kernels/store.cu \
  kernels/table.cuh \
  kernels/tile_aggregated.cu \
  kernels/tile_alone.cu \
  kernels/tile_cluster.cu \
  kernels/tile_cluster_quads.cu \
  kernels/tile_resident.cu \
  kernels/tile_scan.cu kernels/tile_scan.cuh \
  kernels/told.cuh \
  kernels/tuning.cuh \
  kernels/warp.cuh \
  kernels/warp_aggregated.cu \
  kernels/warp_shared.cu \
  kernels/words.cuh

if WITH_CUDA
libwinnow_internal_la_SOURCES += $(kernel_sources)
# From CUDA 13.2 on a header that CUB includes catches exceptions. None is thrown
# there, and nothing of the C++ runtime is linked for it (tests/check-symbols).
kernels/cub_scan.lo: no_exceptions =
-include $(wildcard kernels/$(DEPDIR)/*.cu.d)
endif
