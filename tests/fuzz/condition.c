/*
 * The text of a condition, or of an expression: it is refused with a place, or
 * can be used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "fields.h"
#include "fuzz.h"

static winnow_context *context;

static void check_refusal(winnow_status status) {
    unsigned line, column;
    FUZZ_MUST(status == WINNOW_ERR_SYNTAX || status == WINNOW_ERR_UNSUPPORTED);
    FUZZ_MUST(sscanf(winnow_last_error(), "line %u, column %u: ", &line,
                     &column) == 2);
    FUZZ_MUST(line > 0 && column > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    winnow_condition *condition = NULL;
    winnow_expression *expression = NULL;
    char *const text = malloc(size + 1);
    FUZZ_MUST(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (context == NULL)
        FUZZ_MUST(winnow_context_create(&context, WINNOW_DEVICE_HOST) ==
                  WINNOW_OK);
    winnow_status status =
        winnow_condition_parse(&condition, fuzz_fields, FUZZ_FIELDS, text);
    if (status == WINNOW_OK)
        FUZZ_MUST(fuzz_use(context, condition));
    else
        check_refusal(status);
    status =
        winnow_expression_parse(&expression, fuzz_fields, FUZZ_FIELDS, text);
    if (status != WINNOW_OK)
        check_refusal(status);
    winnow_expression_destroy(expression);
    winnow_condition_destroy(condition);
    free(text);
    return 0;
}
