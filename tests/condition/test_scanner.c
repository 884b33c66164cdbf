/*
 * The scanner of a condition's text has memory of a fixed size. With too little of
 * it a text is refused, and the next one is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <winnow.h>

#include "condition/text/text.h"

static const winnow_field field = {.name = "x", .type = WINNOW_INT32};

/* Parse a text, whose scanner has no more than `room` bytes. */
static winnow_status parse(unsigned room) {
    char from[] = "x < 3 and x <> 1";
    char copy[sizeof(from) + 1] = {0};
    winnow__text text = {.fields = &field,
                         .from = from,
                         .scanner_used = sizeof(text.scanner) - room};
    winnow__text_value result;

    memcpy(copy, from, sizeof(from));
    winnow_status status = winnow__names_create(&text.names, &field, NULL, 1);
    if (status != WINNOW_OK)
        return status;
    if (!winnow__text_parse(&text, copy, sizeof(from) - 1, &result))
        status = text.status;
    winnow__text_drop(&text);
    winnow__names_destroy(&text.names);
    return status;
}

int main(void) {
    const unsigned sizes = WINNOW__TEXT_SCANNER_BYTES / 16 + 1;
    unsigned refused = 0;

    for (unsigned i = 0; i < sizes; i++) {
        const winnow_status status = parse(16 * i);

        if (status == WINNOW_ERR_MEMORY && refused == i) {
            refused++;
        } else if (status != WINNOW_OK) {
            fprintf(stderr, "with room for %u bytes: %s: %s\n", 16 * i,
                    winnow_status_string(status), winnow_last_error());
            return 1;
        }
    }
    /* It takes several pieces, each of which fails. */
    if (refused >= 10 && refused < sizes)
        return 0;
    fprintf(stderr, "%u of %u sizes are too little\n", refused, sizes);
    return 1;
}
