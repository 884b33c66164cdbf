/*
 * winnow: write those items of arrays that meet a condition. See winnow(1).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elsewhere.h"
#include "fail.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "reduce.h"
#include "report.h"
#include "streams.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    program_options options;
    program_input inputs[WINNOW_PIPE_MOST_INPUTS];
    program_table table;
    program_output outputs[WINNOW_PIPE_MOST_OUTPUTS];
    uint64_t output_bytes[WINNOW_PIPE_MOST_OUTPUTS]; /* of an element */
    unsigned output_count;                           /* files */
    program_reduce *reduce;

    winnow_context *context;
    winnow_condition *condition;
    winnow_pipe *pipe;
    winnow_pipe_output pipe_outputs[WINNOW_PIPE_MOST_OUTPUTS];
    unsigned pipe_output_count;
    unsigned fed[WINNOW_PIPE_MOST_INPUTS]; /* inputs that the pipe has */
    unsigned fed_count;
    uint64_t item_bytes; /* of those */
} run;

/* -------------------------------------------------------------------- errors */

/* Files have their names in place of the numbers that the library gives them. */
static _Noreturn void fail(const run *r, winnow_status status) {
    const char *const detail = winnow_last_error();
    winnow_pipe_state state = {.size = sizeof state};
    if (r->reduce != NULL && status == WINNOW_ERR_STOPPED)
        (void)program_reduce_end(r->reduce); /* which fails as well */
    if (r->pipe == NULL || status != WINNOW_ERR_FILE ||
        winnow_pipe_get_state(r->pipe, &state) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", detail);
    if (state.failed >= WINNOW_PIPE_FAILED_OUTPUT)
        program_fail(
            program_output_status(state.error_number), "%s: %s",
            r->outputs[state.failed - WINNOW_PIPE_FAILED_OUTPUT].path,
            strerror(state.error_number));
    const char *const path = r->inputs[r->fed[state.failed]].path;
    if (state.error_number != 0)
        program_fail(PROGRAM_INPUT, "%s cannot be read: %s", path,
                     strerror(state.error_number));
    /* The detail begins with the number of the file. */
    program_fail(PROGRAM_FORMAT, "%s%s", path, detail + strcspn(detail, " "));
}

/* -------------------------------------------------------------------- inputs */

static void open_inputs(run *r) {
    const program_options *const options = &r->options;
    bool has_standard = false;
    for (unsigned i = 0; i < options->input_count; i++) {
        const char *const text = options->inputs[i];
        const size_t name = program_name_bytes(text);
        const bool is_standard =
            strcmp(name != 0 ? text + name + 1 : text, "-") == 0;
        if (is_standard && has_standard)
            program_fail(PROGRAM_USAGE, "standard input is read twice");
        has_standard = has_standard || is_standard;
        program_input_open(&r->inputs[i], text, options->fields);
    }
    program_table_make(&r->table, r->inputs, options->input_count);
    r->condition = program_table_condition(&r->table, options->condition);
    if (options->what == PROGRAM_REDUCE)
        r->reduce = program_reduce_make(&r->table, options->reduce,
                                        options->reduce_count);
}

/* ------------------------------------------------------------------- outputs */

static bool ends_in_npy(const char *path) {
    const size_t bytes = path != NULL ? strlen(path) : 0;
    return bytes > 4 && strcmp(path + bytes - 4, ".npy") == 0;
}

/* Which input's elements NAME=FILE means; *path_p is FILE. */
static unsigned find_input(const run *r, const char *text,
                           const char **path_p) {
    const size_t bytes = program_name_bytes(text);
    for (unsigned i = 0; bytes != 0 && i < r->options.input_count; i++) {
        const char *const name = r->inputs[i].name;
        if (name == NULL || strlen(name) != bytes ||
            memcmp(name, text, bytes) != 0)
            continue;
        *path_p = text + bytes + 1;
        return i;
    }
    if (bytes != 0)
        program_fail(PROGRAM_USAGE,
                     "-o %s: no input is called '%.*s'; a file of this name is "
                     "./%s",
                     text, (int)bytes, text, text);
    if (r->options.input_count > 1)
        program_fail(PROGRAM_USAGE,
                     "-o %s: wanted NAME=FILE with the name of an input", text);
    *path_p = text;
    return 0;
}

static void add_output(run *r, const char *path, unsigned input) {
    static char index_type[] = "'<i8'", mask_type[] = "'|b1'";
    const program_what what = r->options.what;
    const program_input *const of = &r->inputs[input];
    const unsigned o = r->output_count++;
    npy_array array = of->array;
    if (what != PROGRAM_ELEMENTS) {
        array =
            (npy_array){.version = 1,
                        .descr = what == PROGRAM_MASK ? mask_type : index_type};
        array.item.bytes = what == PROGRAM_MASK ? 1 : sizeof(uint64_t);
    }
    const bool is_npy = r->options.npy ||
                        (!r->options.raw && (of->is_npy || ends_in_npy(path)));
    program_output *const output = &r->outputs[o];
    if (path != NULL && (strcmp(path, "-") == 0 ||
                         program_streams_find(path) == STDOUT_FILENO))
        path = NULL;
    if (path == NULL && r->options.json)
        program_fail(PROGRAM_USAGE,
                     "--json writes to standard output: name a file by -o");
    program_output_open(output, path, is_npy ? &array : NULL);
    for (unsigned i = 0; i < r->options.input_count; i++)
        if (program_output_is(output, r->inputs[i].file.fd))
            program_fail(PROGRAM_USAGE, "%s is read and written", output->path);
    for (unsigned i = 0; i < o; i++)
        if (program_outputs_meet(&r->outputs[i], output))
            program_fail(PROGRAM_USAGE, "%s is written twice", output->path);
    r->output_bytes[o] = array.item.bytes;
    r->pipe_outputs[r->pipe_output_count++] = (winnow_pipe_output){
        .kind = what == PROGRAM_ELEMENTS ? WINNOW_PIPE_ELEMENTS
                : what == PROGRAM_MASK   ? WINNOW_PIPE_MASK
                                         : WINNOW_PIPE_INDICES,
        .input = input,
        .target =
            output->has_place ? WINNOW_PIPE_TO_FILE : WINNOW_PIPE_TO_STREAM,
        .fd = output->fd,
        .offset = output->offset + output->header_bytes};
}

static void open_outputs(run *r) {
    const program_options *const options = &r->options;
    bool is_taken[WINNOW_PIPE_MOST_INPUTS] = {false};
    if (options->what == PROGRAM_COUNT)
        return;
    if (options->what == PROGRAM_REDUCE) {
        r->pipe_output_count =
            program_reduce_outputs(r->reduce, r->pipe_outputs);
        return;
    }
    if (options->what != PROGRAM_ELEMENTS) {
        const char *const path =
            options->output_count != 0 ? options->outputs[0] : NULL;
        if (options->output_count > 1)
            program_fail(PROGRAM_USAGE, "--index and --mask have one output");
        if (path != NULL && program_name_bytes(path) != 0)
            program_fail(PROGRAM_USAGE,
                         "-o %s: --index and --mask are of no single input: "
                         "wanted FILE; a file of this name is ./%s",
                         path, path);
        add_output(r, path, 0);
        return;
    }
    if (options->output_count == 0 && options->input_count > 1)
        program_fail(PROGRAM_USAGE, "several inputs: wanted -o NAME=FILE");
    if (options->output_count == 0)
        add_output(r, NULL, 0);
    for (unsigned i = 0; i < options->output_count; i++) {
        const char *path = NULL;
        const unsigned input = find_input(r, options->outputs[i], &path);
        if (is_taken[input])
            program_fail(PROGRAM_USAGE,
                         "-o %s: its input has an output already",
                         options->outputs[i]);
        is_taken[input] = true;
        add_output(r, path, input);
    }
}

/* --------------------------------------------------------------------- a pipe */

/* Inputs that are tested or written; the others would be read in vain. */
static void choose_inputs(run *r, winnow_pipe_input *inputs,
                          winnow_pipe_file *files) {
    unsigned number[WINNOW_PIPE_MOST_INPUTS] = {0};
    for (unsigned i = 0; i < r->options.input_count; i++) {
        bool is_read = program_table_tests(&r->table, r->condition, i);
        for (unsigned o = 0; o < r->pipe_output_count; o++)
            is_read =
                is_read || (r->pipe_outputs[o].kind == WINNOW_PIPE_ELEMENTS &&
                            r->pipe_outputs[o].input == i);
        /* A condition may read none, and an input has the number of items. */
        const bool is_last = i + 1 == r->options.input_count;
        if (!is_read && !(is_last && r->fed_count == 0))
            continue;
        number[i] = r->fed_count;
        inputs[r->fed_count] = (winnow_pipe_input){
            .element_bytes = (uint32_t)r->inputs[i].array.item.bytes};
        r->item_bytes += inputs[r->fed_count].element_bytes;
        files[r->fed_count] = r->inputs[i].file;
        r->fed[r->fed_count++] = i;
    }
    for (unsigned o = 0; o < r->pipe_output_count; o++)
        r->pipe_outputs[o].input = number[r->pipe_outputs[o].input];
}

/* The columns of those inputs; a column of another stands in for those of the
 * rest, which nothing reads, so that all keep their numbers. */
static void make_pipe(run *r, const winnow_pipe_input *inputs) {
    const program_table *const table = &r->table;
    winnow_pipe_column *const columns =
        program_allocate(table->column_count, sizeof *columns);
    const winnow_pipe_options options = {.size = sizeof options,
                                         .threads = r->options.threads,
                                         .flags = WINNOW_PIPE_MAP,
                                         .progress = program_progress_tell};
    for (unsigned c = 0; c < table->column_count; c++) {
        columns[c] = (winnow_pipe_column){.type = WINNOW_UINT8};
        for (unsigned f = 0; f < r->fed_count; f++)
            if (r->fed[f] == table->columns[c].input) {
                columns[c] = table->columns[c];
                columns[c].input = f;
            }
    }
    const winnow_status status = winnow_pipe_create(
        &r->pipe, r->context, r->condition, columns, table->column_count,
        inputs, r->fed_count, r->pipe_outputs, r->pipe_output_count, &options);
    free(columns);
    if (status != WINNOW_OK)
        fail(r, status);
}

static void make_context(run *r) {
    winnow_status status =
        winnow_context_create(&r->context, r->options.device);
    if (status == WINNOW_OK && r->options.threads != 0)
        status = winnow_context_set_threads(r->context, r->options.threads);
    if (status == WINNOW_ERR_NO_DEVICE)
        program_fail(PROGRAM_DEVICE, "%s: use --device=host",
                     winnow_last_error());
    if (status != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
}

static void filter(run *r) {
    winnow_pipe_input inputs[WINNOW_PIPE_MOST_INPUTS] = {{0}};
    winnow_pipe_file files[WINNOW_PIPE_MOST_INPUTS] = {{0}};
    choose_inputs(r, inputs, files);
    make_pipe(r, inputs);
    program_progress_begin(r->options.quiet, r->table.items, r->item_bytes);
    winnow_status status =
        winnow_pipe_feed_file(r->pipe, files, r->table.items);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(r->pipe, NULL);
    program_progress_clear();
    if (status != WINNOW_OK)
        fail(r, status);
}

/* ----------------------------------------------------------------------- main */

static void end(run *r, double started) {
    program_report report = {.options = &r->options,
                             .inputs = r->inputs,
                             .state = {.size = sizeof report.state}};
    if (winnow_pipe_get_state(r->pipe, &report.state) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    for (unsigned o = 0; o < r->output_count; o++)
        program_output_end(&r->outputs[o],
                           r->options.what == PROGRAM_MASK ? report.state.items
                                                           : report.state.kept,
                           r->output_bytes[o]);
    if (r->reduce != NULL)
        report.sums = program_reduce_end(r->reduce);
    report.bytes = report.state.items * r->item_bytes;
    report.seconds = program_now() - started;
    if (r->options.json || r->output_count == 0)
        program_report_print(&report);
    /* Files get their names when nothing else can fail. */
    for (unsigned o = 0; o < r->output_count; o++)
        program_output_name(&r->outputs[o]);
}

int main(int argc, char **argv) {
    static run r;
    const double started = program_now();
    program_streams_begin();
    program_outputs_begin();
    program_options_parse(&r.options, argc, argv);
    program_refuse_tables(&r.options);
    open_inputs(&r);
    make_context(&r);
    open_outputs(&r);
    filter(&r);
    end(&r, started);
    winnow_pipe_destroy(r.pipe);
    winnow_context_destroy(r.context);
    program_reduce_destroy(r.reduce);
    winnow_condition_destroy(r.condition);
    program_table_destroy(&r.table);
    return PROGRAM_DONE;
}
