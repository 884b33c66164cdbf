/*
 * How many elements lie in a range: the exact count, and an estimate that
 * reads no more than a sample of a long array.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#define N (UINT64_C(1) << 20)

/* Numbers from 0 to 65535 that look random but are the same in every run. */
static uint16_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return (uint16_t)(*state >> 48);
}

int main(void) {
    const uint16_t low = 16384, high = 32767; /* a quarter of all values */
    uint16_t *in = malloc(N * sizeof(*in));
    winnow_context *context = NULL;
    winnow_predicate *quarter = NULL;
    uint64_t expected = 0, count = 0, state = 1;
    double estimate = -1.0, exact;
    int right = 0;

    if (!in) {
        fprintf(stderr, "count: out of memory\n");
        return 1;
    }
    for (uint64_t i = 0; i < N; i++) {
        in[i] = draw(&state);
        expected += low <= in[i] && in[i] <= high;
    }
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) ||
        winnow_predicate_range(&quarter, WINNOW_UINT16, &low, &high) ||
        winnow_count_if(context, quarter, WINNOW_UINT16, in, N, &count, NULL) ||
        winnow_estimate_selectivity(context, quarter, WINNOW_UINT16, in, N,
                                    &estimate, NULL)) {
        fprintf(stderr, "count: %s\n", winnow_last_error());
    } else {
        exact = (double)count / (double)N;
        printf("%llu of %llu pass: %.4f, estimated %.4f\n",
               (unsigned long long)count, (unsigned long long)N, exact,
               estimate);
        /* The sample's standard deviation is 0.0017. */
        right = count == expected && estimate > exact - 0.01 &&
                estimate < exact + 0.01;
    }
    winnow_predicate_destroy(quarter);
    winnow_context_destroy(context);
    free(in);
    return right ? 0 : 1;
}
