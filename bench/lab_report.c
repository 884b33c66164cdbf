/*
 * A variant's row, as a line of a table and as one JSON object.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lab.h"

#include "progress.h"
#include "util.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

static void print_row(const bench_lab *lab, const lab_row *row,
                      const bench_times *times, bool right) {
    char size[32], x[64] = "";
    if (row->x_name != NULL)
        snprintf(x, sizeof x, "%s %.4g", row->x_name, row->x);
    printf("%-16s %-44s %-8s %-10s %-20s %12.2f", lab->experiment, row->variant,
           row->type != NULL ? row->type : "-",
           bench_format_count(row->n, size), x, 1e6 * times->midmean);
    if (row->bytes > 0)
        printf(" %9.2f", 1e-9 * (double)row->bytes / times->midmean);
    else
        printf(" %9s", "-");
    if (row->copy_s > 0)
        printf(" %7.3f", row->copy_s / times->midmean);
    else
        printf(" %7s", "-");
    if (row->atomics > 0)
        printf(" %12.0f", row->atomics);
    else
        printf(" %12s", "-");
    if (row->predicted_s > 0)
        printf(" %12.2f", 1e6 * row->predicted_s);
    else
        printf(" %12s", "-");
    printf("%s\n", right ? "" : "  WRONG");
}

static void print_header(void) {
    printf("%-16s %-44s %-8s %-10s %-20s %12s %9s %7s %12s %12s\n",
           "experiment", "variant", "type", "n", "at", "time us", "GB/s",
           "copy", "atomics", "model us");
}

/* null for a number that does not apply. */
static json_t *known(double value) {
    return value > 0 ? json_real(value) : json_null();
}

static json_t *integer(const uint64_t *value) {
    return value != NULL ? json_integer((json_int_t)*value) : json_null();
}

static const char *or_null(const char *text) {
    return text[0] != '\0' ? text : NULL;
}

static json_t *object_of(const bench_lab *lab, const lab_row *row,
                         const bench_times *times, bool right) {
    const bench_report *report = &lab->run->report;
    const bench_platform *platform = report->platform;
    return json_pack(
        "{s:s?, s:s, s:s, s:s?, s:s?, s:s, s:s, s:s, s:s, s:s?, s:I, s:s?, "
        "s:o, s:o,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:b}",
        "digest", report->digest, "date", report->date, "gpu", platform->device,
        "driver", or_null(platform->driver), "cuda", or_null(platform->cuda),
        "version", winnow_version_string(), "op", lab->op, "experiment",
        lab->experiment, "variant", row->variant, "type", row->type, "n",
        (json_int_t)row->n, "x_name", row->x_name, "x",
        row->x_name != NULL ? json_real(row->x) : json_null(), "bytes",
        integer(row->bytes > 0 ? &row->bytes : NULL), "results",
        integer(row->results_p), "atomics", known(row->atomics), "predicted_s",
        known(row->predicted_s), "copy_s", known(row->copy_s), "midmean_s",
        json_real(times->midmean), "median_s", json_real(times->median),
        "p10_s", json_real(times->p10), "p90_s", json_real(times->p90), "runs",
        (int)times->runs, "right", (int)right);
}

void lab_report(bench_lab *lab, const lab_row *row, const bench_times *times,
                bool right) {
    bench_report *report = &lab->run->report;
    if (!right)
        report->wrong = true;
    bench_progress_clear();
    if (!report->lab_headed)
        print_header();
    report->lab_headed = true;
    print_row(lab, row, times, right);
    fflush(stdout);
    if (report->json == NULL)
        return;
    json_t *object = object_of(lab, row, times, right);
    if (object == NULL)
        bench_fail("a row cannot be written as JSON: is a name not UTF-8?");
    if (json_dumpf(object, report->json,
                   JSON_COMPACT | JSON_REAL_PRECISION(9)) != 0 ||
        fputc('\n', report->json) == EOF || fflush(report->json) != 0)
        bench_fail("writing the JSON file: %s", strerror(errno));
    json_decref(object);
}
