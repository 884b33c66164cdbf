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
    uint64_t count;
    winnow_context *host;
    winnow_predicate *keep;

    if (winnow_context_create(&host, WINNOW_DEVICE_HOST) ||
        winnow_predicate_compare(&keep, WINNOW_INT32, WINNOW_GT, &zero) ||
        winnow_copy_if(host, keep, WINNOW_INT32, in, 8, out, 8, &count, NULL)) {
        fprintf(stderr, "filter: %s\n", winnow_last_error());
        return 1;
    }
    for (uint64_t i = 0; i < count; i++) {
        printf("%d\n", (int)out[i]);
        sum += out[i];
    }
    winnow_predicate_destroy(keep);
    winnow_context_destroy(host);
    return count == 5 && sum == 20 ? 0 : 1;
}
