/*
 * Filter into a buffer that may be too small. Nothing is written past its
 * capacity, and the count is the capacity that would have been enough.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#define N 100
#define GUESS 10

int main(void) {
    const float half = 0.5f;
    float in[N], guess[GUESS + 1], *all = NULL;
    /* The first survivors, in their order. */
    const winnow_launch *stable = WINNOW_LAUNCH(.order = WINNOW_STABLE);
    winnow_context *context = NULL;
    winnow_predicate *small = NULL;
    uint64_t count = 0;
    int right = 0;

    for (int i = 0; i < N; i++)
        in[i] = (float)i / N;
    guess[GUESS] = -1.0f; /* stays: it lies past the capacity */

    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_predicate_compare(&small, WINNOW_FLOAT32, WINNOW_LT, &half) ||
        winnow_copy_if(context, small, WINNOW_FLOAT32, in, N, guess, GUESS,
                       &count, stable))
        goto failed;
    right = count == 50 && guess[GUESS] == -1.0f;
    for (int i = 0; i < GUESS; i++)
        right = right && guess[i] == in[i];

    if (count > GUESS) {
        const uint64_t capacity = count;

        printf("%llu survivors, room for %d: trying again\n",
               (unsigned long long)count, GUESS);
        all = malloc(capacity * sizeof(*all));
        if (!all) {
            fprintf(stderr, "capacity: out of memory\n");
            return 1;
        }
        if (winnow_copy_if(context, small, WINNOW_FLOAT32, in, N, all, capacity,
                           &count, stable))
            goto failed;
        right = right && count == capacity;
        for (uint64_t i = 0; i < count; i++)
            right = right && all[i] == in[i];
    }
    printf("%llu survivors, %s\n", (unsigned long long)count,
           right ? "right" : "WRONG");
    free(all);
    winnow_predicate_destroy(small);
    winnow_context_destroy(context);
    return right && all ? 0 : 1;

failed:
    fprintf(stderr, "capacity: %s\n", winnow_last_error());
    return 1;
}
