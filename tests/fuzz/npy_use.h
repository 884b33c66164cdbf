/*
 * What a fuzzer does with a header of a .npy file that was taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_FUZZ_NPY_USE_H
#define WINNOW_TESTS_FUZZ_NPY_USE_H

#include "programs/npy.h"

/* NULL, or what is wrong: its fields lie within an item, and a header of at least
 * that number of bytes that is written for it is read as the same. */
const char *fuzz_npy_use(const npy_array *array, size_t header_bytes);

#endif
