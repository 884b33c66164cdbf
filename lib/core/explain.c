/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "explain.h"

#include "context.h"
#include "operation.h"
#include "status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void winnow__add_text(winnow__text *text, const char *format, ...) {
    const bool room = text->start != NULL && text->length < text->bytes;
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(room ? text->start + text->length : NULL,
                  room ? text->bytes - text->length : 0, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length;
}

void winnow__add_call(winnow__text *text, const winnow__query *query) {
    const unsigned size = query->predicate->type->size;
    winnow__add_text(text, "call: %s of %" PRIu64 " elements of %u %s, %s\n",
                     query->operation->name, query->n, size,
                     size == 1 ? "byte" : "bytes",
                     winnow_order_name(query->options.order));
}

winnow_status winnow__explain(winnow__query *query,
                              const winnow_options *options, char *text,
                              size_t text_bytes, size_t *length_p) {
    winnow__text made = {.start = text_bytes != 0 ? text : NULL,
                         .bytes = text_bytes};
    winnow_status status = winnow__check_query(query, options);
    if (status != WINNOW_OK)
        return status;
    if (text == NULL && text_bytes != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "text is NULL, and text_bytes is %zu", text_bytes);
    if (text_bytes == 0 && length_p == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "length_p is NULL, and there is no room for text");
    if (made.start != NULL)
        made.start[0] = '\0';
    const winnow__backend *const backend = query->context->backend;
    status =
        (backend->explain != NULL ? backend->explain
                                  : query->operation->explain)(query, &made);
    if (status != WINNOW_OK) {
        if (made.start != NULL)
            made.start[0] = '\0';
        return status;
    }
    if (length_p != NULL)
        *length_p = made.length;
    return WINNOW_OK;
}
