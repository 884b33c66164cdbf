/*
 * k-means: points in the plane, and the centres of their clusters. In each
 * round a point goes to the nearest centre; then the library adds up the points
 * of each cluster, whose mean is the new centre. examples/gpu_k_means.cu is the
 * same for a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <winnow.h>

#define POINTS 3000
#define CLUSTERS 3
#define ROUNDS 20

static float points[2][POINTS]; /* x, then y */
static float ones[POINTS];
static uint32_t cluster_of[POINTS];
static float sums[3][CLUSTERS]; /* of x, of y, of ones */

/* Around (10, 10), (20, 10) and (10, 30), up to 2 away. */
static void make_points(void) {
    static const float around[CLUSTERS][2] = {{10, 10}, {20, 10}, {10, 30}};

    for (uint32_t i = 0; i < POINTS; i++) {
        const uint32_t drawn = i * 2654435761u;

        points[0][i] =
            around[i % CLUSTERS][0] + (float)(drawn >> 30) / 0.75f - 2;
        points[1][i] =
            around[i % CLUSTERS][1] + (float)(drawn >> 28 & 3) / 0.75f - 2;
        ones[i] = 1;
    }
}

static uint32_t nearest(float x, float y, const float centres[2][CLUSTERS]) {
    uint32_t best = 0;
    float least = 0;

    for (uint32_t c = 0; c < CLUSTERS; c++) {
        const float dx = x - centres[0][c], dy = y - centres[1][c];
        const float distance = dx * dx + dy * dy;

        if (c == 0 || distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

static winnow_status add_up(winnow_context *context) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = cluster_of};
    const winnow_in values[] = {{.type = WINNOW_FLOAT32, .d_base = points[0]},
                                {.type = WINNOW_FLOAT32, .d_base = points[1]},
                                {.type = WINNOW_FLOAT32, .d_base = ones}};
    const winnow_out out[] = {{.type = WINNOW_FLOAT32, .d_base = sums[0]},
                              {.type = WINNOW_FLOAT32, .d_base = sums[1]},
                              {.type = WINNOW_FLOAT32, .d_base = sums[2]}};

    memset(sums, 0, sizeof sums);
    return winnow_accumulate_by_key(context, &keys, values, 3, POINTS, CLUSTERS,
                                    out, NULL, NULL);
}

int main(void) {
    float centres[2][CLUSTERS] = {{8, 22, 9}, {8, 9, 25}};
    winnow_context *context = NULL;
    int right = 1;

    make_points();
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST)) {
        fprintf(stderr, "k_means: %s\n", winnow_last_error());
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < POINTS; i++)
            cluster_of[i] = nearest(points[0][i], points[1][i], centres);
        if (add_up(context)) {
            fprintf(stderr, "k_means: %s\n", winnow_last_error());
            return 1;
        }
        for (uint32_t c = 0; c < CLUSTERS; c++)
            for (int d = 0; d < 2 && sums[2][c] > 0; d++)
                centres[d][c] = sums[d][c] / sums[2][c];
    }
    for (uint32_t c = 0; c < CLUSTERS; c++) {
        printf("(%.2f, %.2f), %g points\n", (double)centres[0][c],
               (double)centres[1][c], (double)sums[2][c]);
        right = right && sums[2][c] == POINTS / CLUSTERS;
    }
    winnow_context_destroy(context);
    return right ? 0 : 1;
}
