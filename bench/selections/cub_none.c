/*
 * winnow-bench as it is installed: without CUB.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cub.h"

#include <stddef.h>

const selections_cub *const selections_peer = NULL;
