/*
 * Integers that the host computes in fewer bits than 64, at the ends of what these
 * hold, against integers of 128 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NARROW_H
#define WINNOW_TESTS_NARROW_H

/* Print what is wrong, and exit. */
void check_narrow(void);

#endif
