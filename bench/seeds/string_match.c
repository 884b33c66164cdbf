/*
 * Seed 004, figure 13: the places of four keywords, of very different
 * frequency, in 4 MiB and in 1 GiB of text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"
#include "text.h"

#include "../util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beside the forms of MapReduce. */
enum {
    LIBRARY = SEEDS_MAP_FORMS, /* places of the first letter, then these */
    ON_HOST,
    FORMS
};
/* No letter is as frequent as this: one of this many bytes is a candidate. */
#define BYTES_OF_A_CANDIDATE 4

typedef struct match {
    bench_lab *lab;
    unsigned form; /* a seeds_map_form, or the above */
    uint64_t n;
    seeds_keyword keyword;
    uint64_t count;
    char *text; /* of the host, */
    uint32_t *positions;
    uint32_t *expected;
    char *d_text; /* and of the device */
    seeds_map_output output;
    /* of LIBRARY */
    winnow_predicate *first_letter;
    winnow_launch launch;
    uint32_t *d_candidates;
    uint64_t *d_candidate_count;
    uint64_t capacity; /* of candidates */
    uint64_t found;    /* by the host */
} match;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const match *m = state;
    return winnow_copy_index_if(m->lab->run->context, m->first_letter,
                                WINNOW_UINT8, m->d_text, m->n, WINNOW_UINT32,
                                m->d_candidates, m->capacity,
                                m->d_candidate_count, launch);
}

static void run_library(match *m, winnow_stream stream) {
    bench_enqueue(call, "winnow_copy_index_if", m, m->launch, stream);
    seeds_must(seeds_gpu_match_candidates(
        m->d_text, m->n, m->keyword, m->d_candidates, m->d_candidate_count,
        m->capacity, m->output.d_records, m->output.d_count, stream));
}

static void run(void *state, winnow_stream stream) {
    match *m = state;
    if (m->form == ON_HOST) {
        m->found = seeds_find(m->text, m->n, &m->keyword, m->positions);
        return;
    }
    seeds_map_begin(&m->output, stream);
    if (m->form == LIBRARY)
        run_library(m, stream);
    else
        seeds_must(seeds_gpu_string_match((seeds_map_form)m->form, m->d_text,
                                          m->n, m->keyword, &m->output,
                                          stream));
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* In any order, but on the host. */
static bool right(void *state) {
    match *m = state;
    if (m->form == ON_HOST) {
        if (m->found != m->count)
            return false;
    } else {
        if (!seeds_map_fetch(m->lab, &m->output, m->count, sizeof *m->positions,
                             m->positions))
            return false;
        qsort(m->positions, m->count, sizeof *m->positions, ascending);
    }
    return memcmp(m->positions, m->expected,
                  (size_t)m->count * sizeof *m->positions) == 0;
}

static void open_library(match *m) {
    bench_lab *const lab = m->lab;
    const uint8_t letter = (uint8_t)m->keyword.text[0];
    m->launch = (winnow_launch){.size = sizeof m->launch};
    m->capacity = m->n / BYTES_OF_A_CANDIDATE + 1;
    bench_check(winnow_predicate_compare(&m->first_letter, WINNOW_UINT8,
                                         WINNOW_EQ, &letter),
                "winnow_predicate_compare");
    m->d_candidates =
        lab_device(lab, (size_t)m->capacity * sizeof *m->d_candidates);
    m->d_candidate_count = lab_device(lab, sizeof *m->d_candidate_count);
    lab_plan(lab, call, "a plan of winnow_copy_index_if", m, &m->launch);
}

static void open_keyword(match *m, const char *word) {
    bench_lab *const lab = m->lab;
    m->keyword = seeds_keyword_of(word);
    m->count = seeds_find(m->text, m->n, &m->keyword, NULL);
    const size_t bytes = (size_t)m->count * sizeof *m->positions;
    m->expected = lab_host(lab, bytes);
    m->positions = lab_host(lab, bytes);
    seeds_find(m->text, m->n, &m->keyword, m->expected);
    m->output = seeds_map_open(lab, m->count, sizeof *m->positions, m->n,
                               SEEDS_MATCH_TASKS);
    open_library(m);
}

static void measure(bench_lab *lab, uint64_t n, unsigned keyword) {
    match m = {.lab = lab, .n = n};
    m.text = lab_host(lab, (size_t)n);
    seeds_text(m.text, n);
    m.d_text = lab_send(lab, m.text, (size_t)n);
    open_keyword(&m, seeds_keywords[keyword]);
    for (unsigned form = 0; form < FORMS; form++) {
        const lab_row row = {
            .variant = form == LIBRARY   ? "winnow_copy_index_if, then check"
                       : form == ON_HOST ? "CPU, one thread"
                                         : seeds_map_names[form],
            .type = "uint8",
            .n = n,
            .x_name = "keyword",
            .x = keyword + 1,
            .bytes = n,
            .results_p = &m.count};
        const lab_variant variant = {run, right, &m, form == ON_HOST};
        m.form = form;
        lab_measure(lab, &row, &variant);
    }
    winnow_predicate_destroy(m.first_letter);
    lab_free(lab);
}

void seeds_string_match(bench_lab *lab) {
    static const uint64_t usual[] = {4 << 20, 1 << 30};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        if (sizes[i] > UINT32_MAX)
            bench_fail("seeds string-match: at most 2^32 - 1 bytes of text");
        for (unsigned keyword = 0; keyword < SEEDS_KEYWORDS; keyword++)
            measure(lab, sizes[i], keyword);
    }
}
