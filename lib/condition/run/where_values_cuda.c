/*
 * Expressions on a device: a kernel for each leaf computes values and writes the
 * bits of what the leaf asks to the call's memory, before the condition's kernel
 * reads them, as arrays of columns of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "where_values.h"

#include "cuda/launch.h"
#include "condition/program/strings.h"
#include "where_strings.h"

#include <string.h>

extern const winnow__kernel winnow__interpret;
extern const winnow__kernel winnow__compare_strings_kernels[2];

enum {
    /* Of dynamic shared memory a kernel may have more than this once CUDA has
     * been told. */
    MOST_UNTOLD = 48 << 10
};

/* An array for each leaf and for each validity, at most. */
size_t winnow__values_device_bytes(const winnow__where *where, uint64_t n) {
    winnow__tested tested;
    unsigned arrays = 0;
    winnow__where_tested(where, &tested);
    for (unsigned i = 0; i < where->condition->number; i++)
        arrays += where->condition->nodes[i].expression != NULL;
    for (unsigned i = 0; i < tested.number; i++)
        arrays += tested.expression[i] != NULL;
    return winnow__lengths_bytes(where) +
           (size_t)(arrays * winnow__string_bits_bytes(n));
}

/* ----------------------------------------------------------------- program */

static unsigned add_launch(winnow__value_launches *launches,
                           winnow__value_launch launch) {
    launches->launch[launches->number] = launch;
    return launches->number++;
}

static void place_leaf(winnow__compiled *compiled, winnow__where_leaf *leaf,
                       winnow__value_launches *launches) {
    const winnow__part part = compiled->part[leaf->column];
    const winnow__expression *const expression =
        compiled->values.expression[part.tested];
    if (part.is_validity)
        return;
    leaf->first = (uint16_t)add_launch(
        launches, (winnow__value_launch){
                      .tested = part.tested,
                      .first = leaf->first,
                      .tests = leaf->tests,
                      .use = winnow__expression_type(expression) == WINNOW__BOOL
                                 ? WINNOW__INTERPRET_BOOL
                             : leaf->tests == 0 ? WINNOW__INTERPRET_SET
                                                : WINNOW__INTERPRET_TEST});
    leaf->tests = 1;
}

/* The validity of an expression is written by the first launch of it. */
static void place_validity(winnow__compiled *compiled, unsigned column,
                           unsigned array, winnow__value_launches *launches) {
    const uint8_t tested = compiled->part[column].tested;
    unsigned i = 0;
    while (i < launches->number && launches->launch[i].tested != tested)
        i++;
    if (i == launches->number)
        add_launch(launches,
                   (winnow__value_launch){.tested = tested,
                                          .use = WINNOW__INTERPRET_NONE});
    launches->launch[i].valid_array = (uint16_t)(array + 1);
}

void winnow__place_values(winnow__compiled *compiled,
                          const winnow__where *where, void *memory, uint64_t n,
                          winnow__value_launches *launches) {
    winnow__where_program *const program = &compiled->program;
    unsigned char *const arrays =
        (unsigned char *)memory + winnow__lengths_bytes(where);
    const uint64_t pitch = winnow__string_bits_bytes(n);
    launches->number = 0;
    launches->arrays = arrays;
    for (unsigned i = 0; i < program->leaves; i++)
        if (program->columns[program->leaf[i].column].access ==
            WINNOW__BY_VALUES)
            place_leaf(compiled, &program->leaf[i], launches);
    unsigned array = launches->number; /* behind those of leaves */
    for (unsigned c = 0; c < program->column_count; c++) {
        unsigned char *first = arrays;
        if (program->columns[c].access != WINNOW__BY_VALUES)
            continue;
        if (compiled->part[c].is_validity) {
            place_validity(compiled, c, array, launches);
            first += array++ * pitch;
        }
        program->columns[c] = (winnow__where_column){
            .first = first, .stride = pitch, .access = WINNOW__BY_BITS};
    }
}

/* ------------------------------------------------------------------ launch */

/* Does a step read a register? No load does. */
static bool reads(const winnow__step *step, unsigned number) {
    return !winnow__is_load(step->code) &&
           (step->a == number ||
            (winnow__has_second(step->code) && step->b == number));
}

/* Is the value that a step makes read but by the next step? */
static bool is_kept(const winnow__value_program *program, unsigned step) {
    const unsigned number = program->step[step].to;
    bool is_read = false;
    for (unsigned s = step + 1; s < program->steps; s++) {
        is_read |= s != step + 1 && reads(&program->step[s], number);
        if (program->step[s].to == number)
            break;
    }
    return is_read;
}

/* Say which values need no place in shared memory. */
static void mark_passed_on(winnow__value_program *program) {
    uint8_t mark[WINNOW__MOST_OPERATIONS];
    for (unsigned s = 0; s < program->steps; s++)
        mark[s] = is_kept(program, s) ? 0 : WINNOW__PASSED_ON;
    for (unsigned s = 0; s < program->steps; s++)
        program->step[s].to |= mark[s];
}

static winnow_status launch(const winnow__call *call,
                            const winnow__interpret_args *args) {
    winnow__kernel kernel = winnow__interpret;
    winnow_status status = WINNOW_OK;
    kernel.shared_bytes =
        args->program.registers * WINNOW__INTERPRET_REGISTER_BYTES;
    if (args->n == 0)
        return WINNOW_OK;
    if (kernel.shared_bytes > MOST_UNTOLD)
        status = winnow__allow_shared_once(
            call->query.context, &kernel,
            WINNOW__MOST_REGISTERS * WINNOW__INTERPRET_REGISTER_BYTES);
    return status == WINNOW_OK
               ? winnow__launch(&kernel,
                                (unsigned)winnow__divide_up(
                                    args->n, WINNOW__INTERPRET_TILE),
                                args, call->query.launch.stream)
               : status;
}

/* Store the lengths of the strings of a dictionary. */
static winnow_status store_lengths(const winnow__call *call,
                                   const winnow_in *in, uint64_t *lengths) {
    winnow__interpret_args args = {
        .program = {.steps = 1,
                    .columns = 1,
                    .registers = 1,
                    .step = {{.code = WINNOW__LOAD_LENGTH,
                              .to = WINNOW__PASSED_ON}}},
        .columns = {winnow__describe(in->dictionary)},
        .n = in->dictionary_n,
        .values = lengths,
        .use = WINNOW__INTERPRET_STORE};
    return launch(call, &args);
}

winnow_status winnow__find_lengths_on_device(const winnow__call *call,
                                             const winnow__where *where,
                                             winnow__where_values *values,
                                             void *memory) {
    winnow_status status = WINNOW_OK;
    winnow__place_lengths(where, values, memory);
    for (unsigned i = 0; i < values->number && status == WINNOW_OK; i++) {
        const winnow__value_column *const column = &values->column[i];
        if (column->access == WINNOW__VALUE_INDICES && column->data != NULL)
            status = store_lengths(call, &where->columns[values->read[i]],
                                   (uint64_t *)(uintptr_t)column->data);
    }
    return status;
}

/* Of an expression that compares strings, as args say. */
static winnow_status compare_strings(const winnow__call *call,
                                     const winnow__expression *expression,
                                     const winnow__interpret_args *args) {
    const winnow_compare compare = (winnow_compare)expression->compare;
    const bool is_equality = compare == WINNOW_EQ || compare == WINNOW_NE;
    const uint64_t each = WINNOW__STRING_THREADS / 32 * WINNOW__STRING_ITEMS;
    const winnow__compare_strings_args compared = {
        .a = winnow__compared_of(expression, args->columns, 0),
        .b = winnow__compared_of(expression, args->columns,
                                 expression->columns - 1),
        .n = args->n,
        .items = args->items,
        .words = args->use == WINNOW__INTERPRET_NONE ? NULL : args->words,
        .valid = args->valid,
        .less = compare == WINNOW_LT || compare == WINNOW_LE,
        .equal = compare == WINNOW_EQ || compare == WINNOW_LE ||
                 compare == WINNOW_GE,
        .greater = compare == WINNOW_GT || compare == WINNOW_GE};
    if (args->n == 0)
        return WINNOW_OK;
    return winnow__launch(&winnow__compare_strings_kernels[!is_equality],
                          (unsigned)winnow__divide_up(args->n, each), &compared,
                          call->query.launch.stream);
}

/* A launch for each WINNOW__INTERPRET_TESTS tests, which adds its bits to those of
 * the one before. */
static winnow_status launch_tests(const winnow__call *call,
                                  const winnow__where_program *program,
                                  const winnow__value_launch *how,
                                  winnow__interpret_args *args) {
    winnow_status status = WINNOW_OK;
    unsigned done = 0;
    do {
        const unsigned left = how->tests - done;
        args->tests = (uint16_t)(left < WINNOW__INTERPRET_TESTS
                                     ? left
                                     : WINNOW__INTERPRET_TESTS);
        args->adds = done != 0;
        memcpy(args->test, program->test + how->first + done,
               args->tests * sizeof args->test[0]);
        status = launch(call, args);
        done += args->tests;
    } while (status == WINNOW_OK && done < how->tests);
    return status;
}

winnow_status winnow__compute_values(const winnow__call *call,
                                     const winnow__where *where,
                                     winnow__compiled *compiled,
                                     const winnow__value_launches *launches,
                                     const winnow__set_ref set[],
                                     void *memory) {
    const uint64_t n = call->query.n;
    const uint64_t pitch = winnow__string_bits_bytes(n);
    winnow_status status = WINNOW_OK;
    if (launches->number == 0)
        return WINNOW_OK;
    status =
        winnow__find_lengths_on_device(call, where, &compiled->values, memory);
    for (unsigned i = 0; i < launches->number && status == WINNOW_OK; i++) {
        const winnow__value_launch *const how = &launches->launch[i];
        const winnow__expression *const expression =
            compiled->values.expression[how->tested];
        winnow__interpret_args args = {
            .program = expression->program,
            .n = n,
            .items = (const unsigned long long *)call->query.launch.d_n,
            .words = (uint32_t *)(void *)(launches->arrays + i * pitch),
            .use = how->use};
        mark_passed_on(&args.program);
        winnow__columns_of_values(&compiled->values, expression, args.columns);
        if (how->valid_array != 0)
            args.valid = (uint32_t *)(void *)(launches->arrays +
                                              (how->valid_array - 1u) * pitch);
        if (how->use == WINNOW__INTERPRET_SET) {
            args.set = set[how->first];
            args.set.place = WINNOW__SET_STAYS;
        }
        status = expression->compares_strings
                     ? compare_strings(call, expression, &args)
                 : how->use == WINNOW__INTERPRET_TEST
                     ? launch_tests(call, &compiled->program, how, &args)
                     : launch(call, &args);
    }
    return status;
}
