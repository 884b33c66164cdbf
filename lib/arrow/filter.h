/*
 * The filter of a record batch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "type.h"

/* winnow_filter_arrow() of arguments that are there. `gives`: the batch is the
 * library's, which may move arrays out of it, and then releases it. */
winnow_status winnow__arrow_filter(winnow_context *context,
                                   const winnow_condition *condition,
                                   const struct ArrowSchema *schema,
                                   struct ArrowDeviceArray *in, bool gives,
                                   struct ArrowDeviceArray *out,
                                   const winnow_launch *launch);

/* Does a context reach arrays of such a device? */
winnow_status winnow__arrow_check_place(const winnow_context *context,
                                        const char *member,
                                        ArrowDeviceType type);
