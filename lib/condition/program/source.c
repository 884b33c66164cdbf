/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source.h"

#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* The next place behind the copy. */
static char *copy(char *to, const char *from, const char **copied_p) {
    const size_t bytes = strlen(from) + 1;
    *copied_p = memcpy(to, from, bytes);
    return to + bytes;
}

winnow__expression *winnow__expression_of_source(const char *body,
                                                 const char *const names[],
                                                 unsigned columns,
                                                 unsigned parameters) {
    size_t bytes = strlen(body) + 1;
    for (unsigned i = 0; i < columns + parameters; i++)
        bytes += strlen(names[i]) + 1;
    winnow__expression *const made = calloc(1, sizeof *made);
    struct winnow__expression_source *const source =
        made != NULL ? calloc(1, sizeof *source + bytes) : NULL;
    if (source == NULL) {
        free(made);
        winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a condition");
        return NULL;
    }
    char *at = copy(source->bytes, body, &source->body);
    for (unsigned i = 0; i < columns + parameters; i++)
        at = copy(at, names[i], &source->name[i]);
    source->parameters = parameters;
    made->source = source;
    made->columns = columns;
    made->program.columns = (uint8_t)columns;
    made->program.constants = (uint8_t)parameters;
    made->program.result_type = WINNOW__BOOL;
    made->references = 1;
    return made;
}
