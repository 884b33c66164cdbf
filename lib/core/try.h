/*
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Return the status of CALL from this function if it is an error. Only where
 * nothing has to be released. */
#define WINNOW__TRY(CALL)                                                      \
    do {                                                                       \
        const winnow_status winnow__tried = (CALL);                            \
        if (winnow__tried != WINNOW_OK)                                        \
            return winnow__tried;                                              \
    } while (0)
