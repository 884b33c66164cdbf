/*
 * copy_if, index_if and count_if, written in C since they are called often.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_FILTERS_H
#define WINNOW_PYTHON_FILTERS_H

#include "state.h"

extern PyMethodDef filter_functions[];

#endif
