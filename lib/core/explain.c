/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "explain.h"

#include "context.h"
#include "operation.h"
#include "status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
    const unsigned size = query->type->size;
    winnow__add_text(text, "call: %s of %" PRIu64 " ", query->operation->name,
                     query->n);
    if ((query->operation->takes & WINNOW__TAKES_TYPE) != 0)
        winnow__add_text(text, "elements of %u %s", size,
                         size == 1 ? "byte" : "bytes");
    else
        winnow__add_text(text, "items");
    if ((query->operation->takes & WINNOW__TAKES_STRATEGY) != 0)
        winnow__add_text(text, ", %s", winnow_order_name(query->launch.order));
    winnow__add_text(text, "\n");
}

/* For an operation without strategies. */
static void explain_plainly(winnow__text *text, const winnow__query *query,
                            size_t workspace_bytes) {
    winnow__add_call(text, query);
    winnow__add_text(text, "workspace: %zu bytes\n", workspace_bytes);
}

static winnow_status fill(const winnow__query *query, winnow_plan *plan) {
    const winnow__backend *const backend = query->context->backend;
    winnow__text text = {.start = plan->text_bytes != 0 ? plan->text : NULL,
                         .bytes = plan->text_bytes};
    WINNOW__TRY(backend->workspace(query, &plan->workspace_bytes));
    plan->strategy = WINNOW_AUTO;
    const bool plain = (query->operation->takes & WINNOW__TAKES_STRATEGY) == 0;
    if (plain)
        explain_plainly(&text, query, plan->workspace_bytes);
    if (!plain && backend->explain != NULL)
        WINNOW__TRY(backend->explain(query, &text, &plan->strategy));
    else if (query->operation->explain != NULL)
        WINNOW__TRY(query->operation->explain(query, &text, &plan->strategy));
    plan->text_length = text.length;
    return WINNOW_OK;
}

winnow_status winnow__plan_call(const winnow__query *query) {
    winnow_plan *const to = query->launch.plan;
    const size_t size = to->size;
    winnow_plan plan = {.size = sizeof plan};
    WINNOW__TRY(winnow__take_struct("launch->plan", "winnow_plan",
                                    offsetof(winnow_plan, reserved), to, &plan,
                                    sizeof plan));
    if (plan.text == NULL && plan.text_bytes != 0)
        return winnow__refuse(
            "launch->plan->text is NULL, and text_bytes is %zu",
            plan.text_bytes);
    for (unsigned i = 0; i < 4; i++)
        if (plan.reserved[i] != 0)
            return winnow__refuse("launch->plan->reserved[%u] is not 0", i);
    if (plan.text_bytes != 0)
        plan.text[0] = '\0';
    WINNOW__TRY(fill(query, &plan));
    memcpy(to, &plan, size < sizeof plan ? size : sizeof plan);
    to->size = size;
    return WINNOW_OK;
}
