# The manual, and the tests of what surrounds the library: manual, header,
# exported symbols, installation.
#
# SPDX-License-Identifier: Apache-2.0

dist_man_MANS += \
  man/winnow.7 \
  man/winnow_arrow.7 \
  man/winnow_language.7 \
  man/winnow_cpp.7 \
  man/winnow_pipe.7 \
  man/winnow_device.7 \
  man/winnow_errors.7 \
  man/winnow_fortran.7 \
  man/winnow_selection.7 \
  man/winnow_strategies.7 \
  man/winnow_accumulate_by_key.3 \
  man/winnow_accumulate_where.3 \
  man/winnow_tuning.5 \
  man/winnow_cache_clear.3 \
  man/winnow_cache_set.3 \
  man/winnow_compact.3 \
  man/winnow_compact_columns.3 \
  man/winnow_compact_index.3 \
  man/winnow_compact_strings.3 \
  man/winnow_condition_bit.3 \
  man/winnow_condition_columns.3 \
  man/winnow_condition_cuda.3 \
  man/winnow_condition_in.3 \
  man/winnow_condition_parse.3 \
  man/winnow_condition_prepare.3 \
  man/winnow_condition_test.3 \
  man/winnow_pipe_create.3 \
  man/winnow_condition_text.3 \
  man/winnow_context_create.3 \
  man/winnow_context_notes.3 \
  man/winnow_context_tune.3 \
  man/winnow_copy_columns_if.3 \
  man/winnow_copy_flagged.3 \
  man/winnow_copy_if.3 \
  man/winnow_copy_index_if.3 \
  man/winnow_copy_where.3 \
  man/winnow_count_if.3 \
  man/winnow_estimate_selectivity.3 \
  man/winnow_expand.3 \
  man/winnow_expression_column.3 \
  man/winnow_expression_destroy.3 \
  man/winnow_expression_parse.3 \
  man/winnow_expression_type.3 \
  man/winnow_fill_holes.3 \
  man/winnow_filter_arrow.3 \
  man/winnow_in.3 \
  man/winnow_last_error.3 \
  man/winnow_launch.3 \
  man/winnow_mpi.7 \
  man/winnow_mpi_balance.3 \
  man/winnow_mpi_create.3 \
  man/winnow_mpi_exchange.3 \
  man/winnow_mpi_migrate.3 \
  man/winnow_mpi_place.3 \
  man/winnow_mpi_reduce.3 \
  man/winnow_mpi_write.3 \
  man/winnow_nccl.7 \
  man/winnow_nccl_alloc.3 \
  man/winnow_nccl_balance.3 \
  man/winnow_nccl_create.3 \
  man/winnow_nccl_exchange.3 \
  man/winnow_nccl_place.3 \
  man/winnow_nccl_reduce.3 \
  man/winnow_no_limit.3 \
  man/winnow_partition_by_key.3 \
  man/winnow_partition_if.3 \
  man/winnow_predicate_compare.3 \
  man/winnow_reduce_if.3 \
  man/winnow_reduce_where.3 \
  man/winnow_reduction_merge.3 \
  man/winnow_segmented_copy_if.3 \
  man/winnow_select_flagged.3 \
  man/winnow_select_if.3 \
  man/winnow_select_where.3 \
  man/winnow_select_ranges.3 \
  man/winnow_select_unique.3 \
  man/winnow_selection_bytes.3 \
  man/winnow_selection_combine.3 \
  man/winnow_selection_segments.3 \
  man/winnow_selection_to_mask.3 \
  man/winnow_split.3 \
  man/winnow_status_name.3 \
  man/winnow_strategy_name.3 \
  man/winnow_type_name.3 \
  man/winnow_unique.3 \
  man/winnow_version.3

# These hold one line, which leads to one of the above.
dist_man_MANS += \
  man/winnow_buffer.3 \
  man/winnow_condition_and.3 \
  man/winnow_condition_bounds.3 \
  man/winnow_condition_text_in.3 \
  man/winnow_condition_destroy.3 \
  man/winnow_condition_is_null.3 \
  man/winnow_condition_is_true.3 \
  man/winnow_condition_not.3 \
  man/winnow_pipe_destroy.3 \
  man/winnow_pipe_feed.3 \
  man/winnow_pipe_feed_file.3 \
  man/winnow_pipe_feed_read.3 \
  man/winnow_pipe_finish.3 \
  man/winnow_pipe_get_state.3 \
  man/winnow_condition_or.3 \
  man/winnow_condition_predicate.3 \
  man/winnow_condition_parse_arrow.3 \
  man/winnow_context_destroy.3 \
  man/winnow_context_set_threads.3 \
  man/winnow_expression_columns.3 \
  man/winnow_filter_arrow_device_stream.3 \
  man/winnow_filter_arrow_stream.3 \
  man/winnow_last_error_place.3 \
  man/winnow_launch_init.3 \
  man/winnow_mask.3 \
  man/winnow_move.3 \
  man/winnow_mpi_create_f.3 \
  man/winnow_mpi_destroy.3 \
  man/winnow_nccl_async_error.3 \
  man/winnow_nccl_destroy.3 \
  man/winnow_no_index.3 \
  man/winnow_order_name.3 \
  man/winnow_out.3 \
  man/winnow_plan.3 \
  man/winnow_predicate_bits.3 \
  man/winnow_predicate_destroy.3 \
  man/winnow_predicate_range.3 \
  man/winnow_segments.3 \
  man/winnow_selection_count.3 \
  man/winnow_selection_not.3 \
  man/winnow_set_last_error.3 \
  man/winnow_status_string.3 \
  man/winnow_type_size.3 \
  man/winnow_unique_options.3 \
  man/winnow_version_string.3

dist_check_SCRIPTS += \
  tests/check-api \
  tests/check-arrow \
  tests/check-bindgen \
  tests/check-device \
  tests/check-header \
  tests/check-install \
  tests/check-man \
  tests/check-symbols
TESTS += \
  tests/check-api \
  tests/check-arrow \
  tests/check-bindgen \
  tests/check-device \
  tests/check-header \
  tests/check-install \
  tests/check-man \
  tests/check-symbols
EXTRA_DIST += tests/nvrtc.c tests/install/cmake tests/install/lines
