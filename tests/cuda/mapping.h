/*
 * Memory that is put together in the address space (cuMemMap), piece by piece.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_MAPPING_H
#define WINNOW_TESTS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

struct mapping {
    void *start;
    size_t bytes; /* of all pieces */
    unsigned pieces;
};

/* Of device 0, which is current and, if `allowed`, has access to it; behind it
 * nothing is mapped. False: the driver cannot do it. */
bool mapping_open(struct mapping *mapping, unsigned pieces, bool allowed);
void mapping_close(struct mapping *mapping);

#endif
