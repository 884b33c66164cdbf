/*
 * What the library knows about each strategy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

bool winnow__strategy_exists(winnow_strategy strategy);

/* The strongest order that the strategy can give; AUTO gives both. */
winnow_order winnow__strategy_order(winnow_strategy strategy);
