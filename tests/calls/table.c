/*
 * The table of calls, from the files of its parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls.h"

#include <stddef.h>
#include <string.h>

static const struct call *const parts[] = {
    calls_arrays, calls_keyed, calls_sources, calls_sinks, calls_one_call};

const struct call *call_number(unsigned number) {
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (const struct call *call = parts[i]; call->name != NULL; call++)
            if (number-- == 0)
                return call;
    return NULL;
}

const struct call *call_next(const struct call *call) {
    const struct call *at;

    for (unsigned i = 0; (at = call_number(i)) != NULL; i++)
        if (at == call)
            return call_number(i + 1);
    return NULL;
}

const struct call *call_named(const char *name) {
    FOR_EACH_CALL(call)
    if (strcmp(call->name, name) == 0)
        return call;
    return NULL;
}
