/*
 * Seed 004, figure 11: the map phase of k-means, by the number of points.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"

#include <string.h>

#define ON_HOST SEEDS_MAP_FORMS

typedef struct k_means {
    bench_lab *lab;
    unsigned form; /* a seeds_map_form, or ON_HOST */
    uint64_t n;
    float *points; /* of the host, */
    float *centroids;
    uint32_t *nearest;
    uint32_t *expected;
    seeds_assignment *assignments;
    float *d_points; /* and of the device */
    float *d_centroids;
    seeds_map_output output;
} k_means;

static uint32_t nearest_to(const k_means *k, const float *point) {
    uint32_t nearest = 0;
    float least = 0;
    for (uint32_t cluster = 0; cluster < SEEDS_CLUSTERS; cluster++) {
        const float *centroid = k->centroids + cluster * SEEDS_DIMENSIONS;
        float distance = 0;
        for (unsigned d = 0; d < SEEDS_DIMENSIONS; d++) {
            const float off = point[d] - centroid[d];
            distance += off * off;
        }
        if (cluster == 0 || distance < least) {
            least = distance;
            nearest = cluster;
        }
    }
    return nearest;
}

static void assign(const k_means *k, uint32_t *nearest) {
    for (uint64_t i = 0; i < k->n; i++)
        nearest[i] = nearest_to(k, k->points + i * SEEDS_DIMENSIONS);
}

static void run(void *state, winnow_stream stream) {
    k_means *k = state;
    if (k->form == ON_HOST) {
        assign(k, k->nearest);
        return;
    }
    seeds_map_begin(&k->output, stream);
    seeds_must(seeds_gpu_k_means((seeds_map_form)k->form, k->d_points,
                                 k->d_centroids, k->n, &k->output, stream));
}

/* Each point once, in any order. */
static bool right(void *state) {
    k_means *k = state;
    const size_t bytes = (size_t)k->n * sizeof *k->nearest;
    if (k->form != ON_HOST) {
        if (!seeds_map_fetch(k->lab, &k->output, k->n, sizeof *k->assignments,
                             k->assignments))
            return false;
        memset(k->nearest, 0xff, bytes); /* no cluster */
        for (uint64_t i = 0; i < k->n; i++) {
            if (k->assignments[i].point >= k->n)
                return false;
            k->nearest[k->assignments[i].point] = k->assignments[i].cluster;
        }
    }
    return memcmp(k->nearest, k->expected, bytes) == 0;
}

/* Coordinates are whole numbers of 8 bits: all distances are exact. */
static float *draw(bench_lab *lab, uint64_t seed, uint64_t count) {
    float *const numbers =
        lab_host(lab, (size_t)count * SEEDS_DIMENSIONS * sizeof *numbers);
    for (uint64_t i = 0; i < count * SEEDS_DIMENSIONS; i++)
        numbers[i] = (float)(lab_random(seed, i) >> 56);
    return numbers;
}

static void make_input(k_means *k) {
    bench_lab *const lab = k->lab;
    const size_t dimensions = SEEDS_DIMENSIONS * sizeof *k->points;
    k->points = draw(lab, 31, k->n);
    k->centroids = draw(lab, 32, SEEDS_CLUSTERS);
    k->nearest = lab_host(lab, (size_t)k->n * sizeof *k->nearest);
    k->expected = lab_host(lab, (size_t)k->n * sizeof *k->expected);
    k->assignments = lab_host(lab, (size_t)k->n * sizeof *k->assignments);
    assign(k, k->expected);
    k->d_points = lab_send(lab, k->points, (size_t)k->n * dimensions);
    k->d_centroids = lab_send(lab, k->centroids, SEEDS_CLUSTERS * dimensions);
    k->output = seeds_map_open(lab, k->n, sizeof *k->assignments, k->n,
                               SEEDS_K_MEANS_TASKS);
}

void seeds_k_means(bench_lab *lab) {
    static const uint64_t usual[] = {512,  1024,    2048,    4096,
                                     8192, 1 << 16, 1 << 20, 1 << 22};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        k_means k = {.lab = lab, .n = sizes[i]};
        make_input(&k);
        for (unsigned form = 0; form <= ON_HOST; form++) {
            const lab_row row = {.variant = form == ON_HOST
                                                ? "CPU, one thread"
                                                : seeds_map_names[form],
                                 .type = "float32",
                                 .n = k.n,
                                 .results_p = &k.n};
            const lab_variant variant = {run, right, &k, form == ON_HOST};
            k.form = form;
            lab_measure(lab, &row, &variant);
        }
        lab_free(lab);
    }
}
