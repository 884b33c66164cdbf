# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += $(kernel_sources)
kernel_sources = \
  kernels/accumulate.cu \
  kernels/accumulate.h \
  kernels/accumulate_items.cuh \
  kernels/accumulate_launches.cuh \
  kernels/accumulate_rows.cuh \
  kernels/accumulate_number.cu \
  kernels/accumulate_sample.cuh \
  kernels/accumulate_front.cu \
  kernels/accumulate_shared.cuh \
  kernels/args.h \
  kernels/both.h \
  kernels/choose.cu \
  kernels/clear.cu \
  kernels/clear.h \
  kernels/cluster.cu \
  kernels/cluster_exchange.cuh \
  kernels/column.cuh \
  kernels/compact.cu \
  kernels/compact_in_place.cu \
  kernels/compact_index.cu \
  kernels/compact_tuning.cuh \
  kernels/count.cu \
  kernels/count_exchange.cuh \
  kernels/cub_gate.cuh \
  kernels/cub_iterators.cuh \
  kernels/cub_scan.cu \
  kernels/cub_scan.h \
  kernels/cursor.cuh \
  kernels/estimate.cu \
  kernels/expand.cu \
  kernels/field.cuh \
  kernels/global_atomic.cu \
  kernels/heads.cuh \
  kernels/hold.cuh \
  kernels/items.cuh \
  kernels/kernel.cuh \
  kernels/look_back.cuh \
  kernels/marks.cuh \
  kernels/one_wave.cu \
  kernels/peers.cuh \
  kernels/parts.cuh \
  kernels/partition.cuh \
  kernels/partition.h \
  kernels/partition_block_rank.cuh \
  kernels/partition_count.cu \
  kernels/partition_counters.cuh \
  kernels/partition_estimate.cuh \
  kernels/partition_one_digit.cuh \
  kernels/partition_places.cuh \
  kernels/partition_rank.cuh \
  kernels/partition_repair.cu \
  kernels/partition_reserve.cuh \
  kernels/partition_scatter.cu \
  kernels/partition_scatter_estimated.cu \
  kernels/partition_sourced_column.cuh \
  kernels/partition_staged_column.cuh \
  kernels/partition_tile.cuh \
  kernels/partition_warp_rank.cuh \
  kernels/partition_write.cuh \
  kernels/ptx.cuh \
  kernels/publish.cuh \
  kernels/rank.cuh \
  kernels/records.cuh \
  kernels/reduce.cu \
  kernels/reduce.h \
  kernels/reduce_block.cuh \
  kernels/reduce_element.cuh \
  kernels/reduce_elements.cu \
  kernels/reduce_finish.cuh \
  kernels/reduce_part.cuh \
  kernels/sample.cuh \
  kernels/pack.cuh \
  kernels/rows.cuh \
  kernels/sample.h \
  kernels/scatter.cuh \
  kernels/select.cuh \
  kernels/select_bits.cu \
  kernels/select_field.cu \
  kernels/select_if.cu \
  kernels/select_where.cu \
  kernels/select_where.h \
  kernels/select_unique.cu \
  kernels/select_unique.h \
  kernels/selected.cuh \
  kernels/selection.h \
  kernels/selection_combine.cu \
  kernels/selection_mask.cu \
  kernels/selection_scan.cu \
  kernels/selection_segments.cu \
  kernels/selector.cuh \
  kernels/shapes.h \
  kernels/shared_atomic.cu \
  kernels/single_block.cu \
  kernels/sink.cuh \
  kernels/software_atomic.cu \
  kernels/split.cu \
  kernels/stage.cuh \
  kernels/store.cu \
  kernels/striped_tile.cuh \
  kernels/tile.cuh \
  kernels/tile_aggregated.cu \
  kernels/tile_scan.cu \
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
