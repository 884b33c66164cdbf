/*
 * An output of the type of an input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_OUT_LIKE_H
#define WINNOW_TESTS_OUT_LIKE_H

#include <winnow.h>

/* `address` is where it begins; it lives as long as the block around it. */
#define OUT_LIKE(in, address)                                                  \
    (&(winnow_out){.type = (in).type,                                          \
                   .element_bytes = (in).element_bytes,                        \
                   .d_base = (address)})

#endif
