/*
 * A choice is judged by its worst ratio to the best candidate, over the
 * selectivities. What is simpler is kept unless the other is better by the
 * tolerance: the default before another candidate, one candidate before
 * several, which have to make up for the time that the choice among them takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_known(const fit_table *table, const fit_row *row,
                     unsigned candidate) {
    for (unsigned s = 0; s < table->selectivity_count; s++)
        if (row->seconds[s][candidate] < 0)
            return false;
    return true;
}

static double best_seconds(const fit_table *table, const fit_row *row,
                           unsigned s) {
    double best = -1;
    for (unsigned c = 0; c < table->candidate_count; c++)
        if (is_known(table, row, c) && (best < 0 || row->seconds[s][c] < best))
            best = row->seconds[s][c];
    return best;
}

static double worst_between(const fit_table *table, const fit_row *row,
                            unsigned candidate, unsigned from, unsigned end,
                            double added) {
    double worst = 0;
    for (unsigned s = from; s < end; s++)
        worst = fmax(worst, (row->seconds[s][candidate] + added) /
                                best_seconds(table, row, s));
    return worst;
}

/* The candidate whose worst ratio in [from, end) is the least, with that much
 * time added to its own; the first, unless that one is better by the tolerance.
 */
static unsigned best_between(const fit_table *table, const fit_row *row,
                             unsigned from, unsigned end, double added,
                             double *worst_p) {
    const double own = worst_between(table, row, 0, from, end, added);
    unsigned best = 0;
    *worst_p = own;
    for (unsigned c = 1; c < table->candidate_count; c++) {
        if (!is_known(table, row, c))
            continue;
        const double worst = worst_between(table, row, c, from, end, added);
        if (worst * FIT_TOLERANCE <= own && worst < *worst_p) {
            best = c;
            *worst_p = worst;
        }
    }
    return best;
}

/* Where one range ends and the next begins. */
static double boundary(const fit_table *table, unsigned s) {
    const double middle =
        (table->selectivities[s - 1] + table->selectivities[s]) / 2;
    return round(middle * 1e6) / 1e6;
}

/* The choice with ranges that begin at these places. */
static fit_choice choose_at(const fit_table *table, const fit_row *row,
                            const unsigned *begins, unsigned number,
                            double *worst_p) {
    const double added = (number - 1) * fmax(row->choice_s, 0);
    fit_choice choice = {.number = number};
    *worst_p = 0;
    for (unsigned i = 0; i < number; i++) {
        const bool last = i + 1 == number;
        const unsigned end = last ? table->selectivity_count : begins[i + 1];
        double worst;
        choice.candidate[i] =
            best_between(table, row, begins[i], end, added, &worst);
        choice.to[i] = last ? 1 : boundary(table, end);
        *worst_p = fmax(*worst_p, worst);
    }
    return choice;
}

static void try_ranges(const fit_table *table, const fit_row *row,
                       const unsigned *begins, unsigned number,
                       fit_choice *choice, double *worst) {
    double other_worst;
    const fit_choice other =
        choose_at(table, row, begins, number, &other_worst);
    if (other_worst * FIT_TOLERANCE > *worst)
        return;
    for (unsigned i = 1; i < number; i++)
        if (other.candidate[i] == other.candidate[i - 1])
            return; /* that is fewer ranges */
    *choice = other;
    *worst = other_worst;
}

fit_choice fit_choose(const fit_table *table, const fit_row *row) {
    const unsigned begin[] = {0};
    double worst;
    fit_choice choice = {.number = 1, .to = {1}};
    if (!is_known(table, row, 0) || table->selectivity_count == 0)
        return choice;
    choice = choose_at(table, row, begin, 1, &worst);
    for (unsigned i = 1; i < table->selectivity_count; i++) {
        const unsigned two[] = {0, i};
        try_ranges(table, row, two, 2, &choice, &worst);
    }
    for (unsigned i = 1; i < table->selectivity_count; i++)
        for (unsigned j = i + 1; j < table->selectivity_count; j++) {
            const unsigned three[] = {0, i, j};
            try_ranges(table, row, three, 3, &choice, &worst);
        }
    return choice;
}

/* ------------------------------------------------------------------ entries */

static bool is_default(const fit_choice *choice) {
    return choice->number == 1 && choice->candidate[0] == 0;
}

static bool is_same(const fit_choice *a, const fit_choice *b) {
    if (a->number != b->number)
        return false;
    for (unsigned i = 0; i < a->number; i++)
        if (a->candidate[i] != b->candidate[i] || a->to[i] != b->to[i])
            return false;
    return true;
}

static uint64_t between(uint64_t a, uint64_t b) {
    return (uint64_t)sqrt((double)a * (double)b);
}

static bool all_take(const fit_table *table, const fit_choice *choice,
                     uint64_t n, fit_takes *takes, void *user) {
    for (unsigned i = 0; i < choice->number; i++)
        if (!takes(user, table, choice->candidate[i], n))
            return false;
    return true;
}

static unsigned write_entry(FILE *file, const fit_table *table,
                            const fit_choice *choice, uint64_t from,
                            uint64_t to) {
    double low = 0;
    for (unsigned i = 0; i < choice->number; i++) {
        const fit_candidate *const candidate =
            &table->candidates[choice->candidate[i]];
        fprintf(file, "%s %s %u %" PRIu64 " %" PRIu64 " %.9g %.9g %s %s\n",
                table->operation, table->order, table->bytes, from, to, low,
                choice->to[i], candidate->strategy, candidate->shape);
        low = choice->to[i];
    }
    return choice->number;
}

unsigned fit_write(FILE *file, const fit_table *table, fit_takes *takes,
                   void *user) {
    fit_choice choices[FIT_ROWS];
    unsigned lines = 0, last;
    for (unsigned i = 0; i < table->row_count; i++)
        choices[i] = fit_choose(table, &table->rows[i]);
    for (unsigned i = 0; i < table->row_count; i = last + 1) {
        const fit_row *const row = &table->rows[i];
        last = i;
        while (last + 1 < table->row_count &&
               is_same(&choices[i], &choices[last + 1]))
            last++;
        if (is_default(&choices[i]))
            continue;
        const uint64_t from = i == 0 ? row->n : between(row[-1].n, row->n) + 1;
        const uint64_t end = table->rows[last].n;
        uint64_t to = end;
        if (last + 1 < table->row_count)
            to = between(end, table->rows[last + 1].n);
        if (!all_take(table, &choices[i], to, takes, user))
            to = end;
        lines += write_entry(file, table, &choices[i], from, to);
    }
    return lines;
}
