/*
 * Strings behind offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.h"

winnow_status winnow__arrow_strings(winnow__arrow_level *level,
                                    const winnow__arrow_item *item) {
    (void)level;
    return winnow__arrow_fail(item->path, WINNOW_ERR_UNSUPPORTED,
                              "strings behind offsets are not filtered");
}
