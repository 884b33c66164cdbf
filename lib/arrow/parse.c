/*
 * winnow_condition_parse_arrow: the text of a condition over a schema.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "type.h"
#include "core/status.h"

#include <stdlib.h>

winnow_status winnow_condition_parse_arrow(winnow_condition **condition_p,
                                           const struct ArrowSchema *schema,
                                           const char *text) {
    winnow_status status = winnow__arrow_check_batch_schema(schema);
    if (status != WINNOW_OK)
        return status;
    const int64_t number = schema->n_children;
    if (number > UINT16_MAX + 1)
        return winnow__unsupported(
            "the schema has %lld columns: at most %d are possible",
            (long long)number, UINT16_MAX + 1);
    /* One more, so that the size is not 0. */
    winnow_field *const fields = calloc((size_t)number + 1, sizeof *fields);
    winnow__refusal *const refusals =
        calloc((size_t)number + 1, sizeof *refusals);
    if (fields == NULL || refusals == NULL) {
        status = winnow__no_memory("the names of columns");
    } else {
        for (int64_t i = 0; i < number; i++)
            refusals[i] = winnow__arrow_field(schema->children[i], &fields[i]);
        status = winnow__condition_parse(condition_p, fields, refusals,
                                         (unsigned)number, text);
    }
    free(refusals);
    free(fields);
    return status;
}
