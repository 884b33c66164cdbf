/*
 * The program that decides a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SELECT_WHERE_PROGRAM_H
#define WINNOW_LIB_SELECT_WHERE_PROGRAM_H

#include "condition/tree.h"
#include "kernels/select/where.h"

/* The program's steps and tests; its columns are left as they were. */
void winnow__compile(const winnow_condition *condition,
                     winnow__where_program *program);

#endif
