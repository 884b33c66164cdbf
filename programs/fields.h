/*
 * The fields of raw records: "x:float32,y:float32,id:int64".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_FIELDS_H
#define WINNOW_PROGRAMS_FIELDS_H

#include "npy.h"

/* The array has an unknown number of items. Fails for a mistake. */
void program_fields_parse(npy_array *array, const char *text);

#endif
