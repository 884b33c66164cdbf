/*
 * Tests of strings on a device: patterns that do not go with a kernel's arguments,
 * in workspaces and in graphs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "selected.h"
#include "suite.h"
#include "tests/string/texts.h"

enum {
    N = 3000,
    MANY = 400 /* texts of a list, of more bytes than there is room for */
};

struct work {
    const struct backend *backend;
    struct text_column column;
    struct selected selected;
    winnow_condition *condition;
    uint8_t keep[N];
};

/* A list of some of the strings, and of others. */
static winnow_condition *draw_list(const struct work *w, uint64_t *seed,
                                   uint8_t *keep) {
    static struct text texts[MANY];
    const struct text_rule rule = {
        .test = TEXT_IN, .number = MANY, .texts = texts};

    for (unsigned i = 0; i < MANY; i++) {
        const struct text *const one = w->column.texts[draw_next(seed, N)];

        if (i % 2 == 0 && one != NULL)
            texts[i] = *one;
        else
            text_random(&texts[i], seed);
    }
    for (unsigned i = 0; i < N; i++)
        keep[i] = w->column.texts[i] != NULL &&
                  text_rule_keeps(&rule, w->column.texts[i]);
    return text_rule_create(&rule, 0);
}

static void work_open(struct work *w, const struct backend *backend,
                      unsigned trial) {
    uint64_t seed = 4800 + trial;
    struct text_form form;

    w->backend = backend;
    text_form_random(&form, &seed);
    form.index = trial == 0 ? WINNOW_UINT16 : WINNOW_OPAQUE;
    text_column_open(&w->column, backend, &form, N, &seed);
    selected_open(&w->selected, backend, N);
    w->condition = draw_list(w, &seed, w->keep);
}

static void work_close(struct work *w) {
    winnow_condition_destroy(w->condition);
    selected_close(&w->selected);
    text_column_close(&w->column);
}

/* Of a selection that was prepared. */
static winnow_status select_strings(struct work *w, void *d_workspace,
                                    size_t bytes) {
    return winnow_select_where(w->backend->context, w->condition, &w->column.in,
                               1, N, w->selected.d_selection, w->selected.bytes,
                               WINNOW_LAUNCH(.stream = w->backend->stream,
                                             .d_workspace = d_workspace,
                                             .workspace_bytes = bytes));
}

static void must_tell_to_prepare(winnow_status status) {
    cr_assert_eq(status, WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "winnow_condition_prepare"),
                       "%s", winnow_last_error());
}

/* With a workspace nothing is allocated. */
GPU_TEST(where_strings, workspace) {
    static struct work w;
    winnow_plan plan = {.size = sizeof(plan)};

    for (unsigned trial = 0; trial < 3; trial++) {
        work_open(&w, backend, trial);
        cr_assert_eq(winnow_select_where(backend->context, w.condition,
                                         &w.column.in, 1, N, NULL, 0,
                                         WINNOW_LAUNCH(.plan = &plan)),
                     WINNOW_OK, "%s", winnow_last_error());
        void *const d_workspace = backend_alloc(backend, plan.workspace_bytes);
        selected_prepare(&w.selected, N);
        must_tell_to_prepare(
            select_strings(&w, d_workspace, plan.workspace_bytes));
        cr_assert_eq(winnow_condition_prepare(backend->context, w.condition),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(select_strings(&w, d_workspace, plan.workspace_bytes),
                     WINNOW_OK, "%s", winnow_last_error());
        MUST(selected_check(&w.selected, w.keep, report));
        backend_free(backend, d_workspace);
        work_close(&w);
    }
}

/* A graph has the patterns as long as the context is there. */
GPU_TEST(where_strings, graph) {
    static struct work w;
    static uint8_t ignored[N];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint64_t seed = 4900;

    for (unsigned trial = 0; trial < 3; trial++) {
        work_open(&w, backend, trial);
        selected_prepare(&w.selected, N);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        must_tell_to_prepare(select_strings(&w, NULL, 0));
        cr_assert_eq(winnow_condition_prepare(backend->context, w.condition),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(select_strings(&w, NULL, 0), WINNOW_OK, "%s",
                     winnow_last_error());
        winnow_condition_destroy(w.condition);
        w.condition = NULL;
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (unsigned i = 0; i < 2; i++) {
            /* Others come and go meanwhile. */
            winnow_condition *const other = draw_list(&w, &seed, ignored);

            cr_assert_eq(winnow_condition_prepare(backend->context, other),
                         WINNOW_OK);
            winnow_condition_destroy(other);
            selected_prepare(&w.selected, N);
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
            MUST(selected_check(&w.selected, w.keep, report));
        }
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        work_close(&w);
    }
}
