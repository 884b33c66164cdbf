# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
kernel_sources += \
  %D%/blocked.cuh \
  %D%/cluster_exchange.cuh \
  %D%/count_exchange.cuh \
  %D%/hold.cuh \
  %D%/look_back.cuh \
  %D%/publish.cuh \
  %D%/rank.cuh \
  %D%/scatter.cuh \
  %D%/select_field.cuh \
  %D%/select_heads.cuh \
  %D%/shapes.h \
  %D%/sink_marked.cuh \
  %D%/sink_parts.cuh \
  %D%/sink_records.cuh \
  %D%/sink_values.cuh \
  %D%/stage.cuh \
  %D%/striped.cuh \
  %D%/tuning.cuh \
  %D%/words.cuh
