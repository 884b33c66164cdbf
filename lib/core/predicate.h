/*
 * A predicate inside the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_PREDICATE_H
#define WINNOW_LIB_CORE_PREDICATE_H

#include "kernels/core/args.h"
#include "type.h"

struct winnow_predicate {
    const winnow__type_info *type;
    winnow__test_kind kind;
    winnow__test test;
};

#endif
