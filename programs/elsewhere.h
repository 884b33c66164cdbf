/*
 * Inputs that the other program reads: winnow-filter, of the Python module.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_ELSEWHERE_H
#define WINNOW_PROGRAMS_ELSEWHERE_H

#include "options.h"

/* Fails, with the command that does it, where an input is a folder or has the name
 * of a table's file. */
void program_refuse_tables(const program_options *options);

#endif
