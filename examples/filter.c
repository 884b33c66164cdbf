/*
 * Keep the positive numbers of an array.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <winnow.h>

int main(void) {
    const int32_t in[] = {3, -1, 4, -1, 5, -9, 2, 6}, zero = 0;
    int32_t out[8], sum = 0;
    uint64_t count = 0;
    winnow_context *context = NULL;
    winnow_predicate *positive = NULL;

    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_predicate_compare(&positive, WINNOW_INT32, WINNOW_GT, &zero) ||
        winnow_copy_if(context, positive, in, 8, out, &count, NULL, NULL, 0,
                       NULL)) {
        fprintf(stderr, "filter: %s\n", winnow_last_error());
        return 1;
    }
    for (uint64_t i = 0; i < count; i++) {
        printf("%d\n", (int)out[i]);
        sum += out[i];
    }
    winnow_predicate_destroy(positive);
    winnow_context_destroy(context);
    return count == 5 && sum == 20 ? 0 : 1;
}
