/*
 * The row as one JSON object. Field names are a format that scripts read:
 * they are added to, never changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include "util.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

/* null for a number that does not apply. */
static json_t *number(double value) {
    return value >= 0 ? json_real(value) : json_null();
}

/* NULL for a text that is empty. */
static const char *or_null(const char *text) {
    return text[0] != '\0' ? text : NULL;
}

/* What was measured. */
static json_t *subject(const bench_report *report, const bench_row *row) {
    const bench_platform *platform = report->platform;
    return json_pack(
        "{s:s?, s:s, s:s, s:s?, s:s?, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s, "
        "s:s,"
        " s:s, s:s, s:s?, s:I, s:I, s:I, s:o, s:o}",
        "digest", report->digest, "date", report->date, "gpu", platform->device,
        "driver", or_null(platform->driver), "cuda", or_null(platform->cuda),
        "version", winnow_version_string(), "op", row->op, "order", row->order,
        "strategy", row->strategy, "chosen", row->chosen, "peer", row->peer,
        "type", winnow_type_name(row->type), "pattern", row->pattern, "cache",
        row->cache, "launch", row->launch, "workspace", row->workspace, "n",
        (json_int_t)row->n, "kept", (json_int_t)row->kept, "bytes",
        (json_int_t)row->bytes, "selectivity", number(row->selectivity), "hint",
        number(row->hint));
}

static json_t *results(const bench_row *row) {
    const bench_times *times = &row->times;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:b}",
                     "midmean_s", number(times->midmean), "median_s",
                     number(times->median), "p10_s", number(times->p10),
                     "p90_s", number(times->p90), "copy_s", number(row->copy_s),
                     "copy_fraction", number(row->copy_fraction), "empty_s",
                     number(row->empty_s), "clock_s", number(row->clock_s),
                     "runs", (int)times->runs, "right", (int)row->right);
}

/* NULL for a row that is not of regret. */
static json_t *regret(const bench_row *row) {
    if (row->best == NULL)
        return NULL;
    return json_pack("{s:s, s:o, s:o, s:o}", "best", row->best, "best_s",
                     number(row->best_s), "hint_true_s",
                     number(row->hint_true_s), "hint_wrong_s",
                     number(row->hint_wrong_s));
}

/* NULL for a row that is not of sums by key. */
static json_t *sums(const bench_row *row) {
    if (row->keys == 0)
        return NULL;
    return json_pack("{s:I, s:i}", "keys", (json_int_t)row->keys, "components",
                     (int)row->components);
}

void bench_json_row(FILE *file, const bench_report *report,
                    const bench_row *row) {
    json_t *object = subject(report, row);
    if (object == NULL || json_object_update_new(object, results(row)) != 0 ||
        (row->best != NULL &&
         json_object_update_new(object, regret(row)) != 0) ||
        (row->keys != 0 && json_object_update_new(object, sums(row)) != 0))
        bench_fail("a row cannot be written as JSON: is a name not UTF-8?");
    if (json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0 ||
        fputc('\n', file) == EOF || fflush(file) != 0)
        bench_fail("writing the JSON file: %s", strerror(errno));
    json_decref(object);
}
