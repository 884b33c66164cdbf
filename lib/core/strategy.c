/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operation.h"

static const struct {
    winnow_strategy strategy;
    winnow_order order;
    const char *name;
} strategies[] = {
    {WINNOW_HOST, WINNOW_STABLE, "host"},
    {WINNOW_AUTO, WINNOW_STABLE, "auto"},
    {WINNOW_GLOBAL_ATOMIC, WINNOW_UNORDERED, "global_atomic"},
    {WINNOW_SHARED_ATOMIC, WINNOW_UNORDERED, "shared_atomic"},
    {WINNOW_WARP_AGGREGATED, WINNOW_UNORDERED, "warp_aggregated"},
    {WINNOW_WARP_SHARED, WINNOW_UNORDERED, "warp_shared"},
    {WINNOW_TILE_AGGREGATED, WINNOW_UNORDERED, "tile_aggregated"},
    {WINNOW_CUB_SCAN, WINNOW_STABLE, "cub_scan"},
    {WINNOW_TILE_SCAN, WINNOW_STABLE, "tile_scan"},
    {WINNOW_SOFTWARE_ATOMIC, WINNOW_UNORDERED, "software_atomic"},
};

/* The row of a strategy, or -1. */
static int row_of(winnow_strategy strategy) {
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
        if (strategies[i].strategy == strategy)
            return (int)i;
    return -1;
}

bool winnow__strategy_exists(winnow_strategy strategy) {
    return row_of(strategy) >= 0;
}

winnow_order winnow__strategy_order(winnow_strategy strategy) {
    return strategies[row_of(strategy)].order;
}

const char *winnow_strategy_name(winnow_strategy strategy) {
    const int row = row_of(strategy);
    return row >= 0 ? strategies[row].name : "unknown";
}

const char *winnow_order_name(winnow_order order) {
    switch (order) {
    case WINNOW_UNORDERED:
        return "unordered";
    case WINNOW_STABLE:
        return "stable";
    }
    return "unknown";
}
