/*
 * Keep the rows of a table that meet a condition, which is a text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <winnow.h>

int main(void) {
    const float price[] = {12.5f, 3.0f, 8.0f, 99.0f};
    const int32_t id[] = {1, 2, 3, 4};
    const winnow_field fields[] = {{.name = "price", .type = WINNOW_FLOAT32},
                                   {.name = "id", .type = WINNOW_INT32}};
    const winnow_in columns[] = {{.type = WINNOW_FLOAT32, .d_base = price},
                                 {.type = WINNOW_INT32, .d_base = id}};
    int32_t kept[4];
    const winnow_move move = {
        .d_in = id, .d_out = kept, .element_bytes = sizeof(int32_t)};
    uint64_t count;
    winnow_context *host;
    winnow_condition *cheap;

    if (winnow_context_create(&host, WINNOW_DEVICE_HOST) ||
        winnow_condition_parse(&cheap, fields, 2,
                               "price < 50 and id not in (2, 4)") ||
        winnow_copy_where(host, cheap, columns, 2, 4, &move, 1, 4, &count,
                          NULL)) {
        fprintf(stderr, "filter: %s\n", winnow_last_error());
        return 1;
    }
    for (uint64_t i = 0; i < count; i++)
        printf("%d\n", (int)kept[i]);
    winnow_condition_destroy(cheap);
    winnow_context_destroy(host);
    return count == 2 && kept[1] == 3 ? 0 : 1;
}
