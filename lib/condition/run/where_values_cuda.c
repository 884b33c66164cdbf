/*
 * Expressions on a device: a kernel for each leaf computes values, tests them,
 * and writes the bits to the call's memory. The condition's kernel then reads
 * these bits like a column of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_values.h"

#include "cuda/launch.h"
#include "where_strings.h"

#include <string.h>

extern const winnow__kernel winnow__interpret;
extern const winnow__kernel winnow__compare_strings_kernels[2];

/* At most an array for each leaf and one for each validity. */
size_t winnow__values_device_bytes(const winnow__where *where, uint64_t n) {
    const winnow_condition *const condition = where->condition;
    unsigned arrays = 0;
    if (!condition->has_expressions)
        return 0;
    for (unsigned i = 0; i < condition->number; i++)
        arrays += condition->nodes[i].expression != NULL;
    for (unsigned i = 0; i < condition->tested.number; i++)
        arrays += condition->tested.expression[i] != NULL;
    return winnow__lengths_bytes(&where->condition->tested, where->columns) +
           (size_t)(arrays * winnow__string_bits_bytes(n));
}

/* ----------------------------------------------------------------- program */

static bool is_of_value(const winnow__where_program *program,
                        const winnow__where_leaf *leaf) {
    const winnow__where_column *const column = &program->columns[leaf->column];
    return column->access == WINNOW__BY_VALUES && !column->is_validity;
}

/* First the arrays of leaves that test values, in their order, then those of
 * columns that are validities. */
static unsigned value_leaves(const winnow__where_program *program) {
    unsigned number = 0;
    for (unsigned l = 0; l < program->leaves; l++)
        number += is_of_value(program, &program->leaf[l]);
    return number;
}

void winnow__place_values(winnow__where_program *program,
                          const winnow__where *where, void *memory,
                          uint64_t n) {
    unsigned char *const arrays =
        (unsigned char *)memory +
        winnow__lengths_bytes(&where->condition->tested, where->columns);
    const uint64_t pitch = winnow__string_bits_bytes(n);
    unsigned array = 0;
    for (unsigned l = 0; l < program->leaves; l++)
        if (is_of_value(program, &program->leaf[l])) {
            program->leaf[l].first = (uint16_t)array++;
            program->leaf[l].tests = 1;
        }
    for (unsigned c = 0; c < program->column_count; c++) {
        winnow__where_column *const column = &program->columns[c];
        if (column->access == WINNOW__BY_VALUES)
            *column = (winnow__where_column){
                .first = arrays + (column->is_validity ? array++ * pitch : 0),
                .stride = pitch,
                .access = WINNOW__BY_BITS};
    }
}

/* ------------------------------------------------------------------ launch */

/* Does a step read a register? Loads do not. */
static bool reads(const winnow__step *step, unsigned number) {
    return !winnow__is_load(step->code) &&
           (step->a == number ||
            (winnow__has_second(step->code) && step->b == number));
}

/* Is a step's value read by a step after the next one? */
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

/* Mark the values that need no place in shared memory. */
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
    kernel.shared_bytes =
        args->program.registers * WINNOW__INTERPRET_REGISTER_BYTES;
    if (args->n == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow__allow_shared_once(
        call->query.context, &kernel,
        WINNOW__MOST_REGISTERS * WINNOW__INTERPRET_REGISTER_BYTES));
    return winnow__launch(
        &kernel, (unsigned)winnow__divide_up(args->n, WINNOW__INTERPRET_TILE),
        args, call->query.launch.stream);
}

/* Store the lengths of a dictionary's strings. */
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
                                             winnow__where_values *values,
                                             void *memory) {
    const winnow__tested *const tested = values->tested;
    winnow__place_lengths(values, memory);
    for (unsigned i = 0; i < tested->read_number; i++) {
        const winnow__value_column *const column = &values->column[i];
        if (column->access == WINNOW__VALUE_INDICES && column->data != NULL)
            WINNOW__TRY(store_lengths(call, &values->columns[tested->read[i]],
                                      (uint64_t *)(uintptr_t)column->data));
    }
    return WINNOW_OK;
}

/* For an expression that compares strings; args say how. */
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

/* One launch for each WINNOW__INTERPRET_TESTS tests. Each one adds its bits to
 * those of the one before. */
static winnow_status launch_tests(const winnow__call *call,
                                  const winnow__where_program *program,
                                  const winnow__where_leaf *leaf,
                                  winnow__interpret_args *args) {
    winnow_status status = WINNOW_OK;
    unsigned done = 0;
    do {
        const unsigned left = leaf->tests - done;
        args->tests = (uint16_t)(left < WINNOW__INTERPRET_TESTS
                                     ? left
                                     : WINNOW__INTERPRET_TESTS);
        args->adds = done != 0;
        memcpy(args->test, program->test + leaf->first + done,
               args->tests * sizeof args->test[0]);
        status = launch(call, args);
        done += args->tests;
    } while (status == WINNOW_OK && done < leaf->tests);
    return status;
}

/* Launches that compute an expression's values. */
typedef struct computing {
    const winnow__call *call;
    const winnow__bound *bound;
    const winnow__set_ref *set; /* the program's, by their numbers */
    unsigned char *arrays;
    uint64_t computed; /* bit t: expression t and its validity were written */
} computing;

static uint32_t *array_at(const computing *c, unsigned number) {
    return (uint32_t *)(void *)(c->arrays + number * winnow__string_bits_bytes(
                                                         c->call->query.n));
}

/* The array of an expression's validity, to be written by its first launch.
 * NULL: there is none, or it was written before. */
static uint32_t *validity_array(computing *c, unsigned tested) {
    const winnow__where_program *const program = &c->bound->program;
    unsigned array = value_leaves(program);
    if ((c->computed >> tested & 1) != 0)
        return NULL;
    c->computed |= UINT64_C(1) << tested;
    for (unsigned i = 0; i < program->column_count; i++) {
        const winnow__where_column *const column = &program->columns[i];
        if (column->access != WINNOW__BY_VALUES || !column->is_validity)
            continue;
        if (column->tested == tested)
            return array_at(c, array);
        array++;
    }
    return NULL;
}

/* `leaf`: NULL if only the validity is needed. */
static winnow_status compute(computing *c, unsigned tested,
                             const winnow__where_leaf *leaf, uint32_t *words) {
    const winnow__expression *const expression =
        c->bound->values.tested->expression[tested];
    winnow__interpret_args args = {
        .program = expression->program,
        .n = c->call->query.n,
        .items = (const unsigned long long *)c->call->query.launch.d_n,
        .words = words,
        .valid = validity_array(c, tested),
        .use = leaf == NULL ? WINNOW__INTERPRET_NONE
               : winnow__expression_type(expression) == WINNOW__BOOL
                   ? WINNOW__INTERPRET_BOOL
               : leaf->tests == 0 ? WINNOW__INTERPRET_SET
                                  : WINNOW__INTERPRET_TEST};
    mark_passed_on(&args.program);
    winnow__columns_of_values(&c->bound->values, expression, args.columns);
    if (args.use == WINNOW__INTERPRET_SET) {
        args.set = c->set[leaf->first];
        args.set.place = WINNOW__SET_STAYS;
    }
    return expression->compares_strings
               ? compare_strings(c->call, expression, &args)
           : args.use == WINNOW__INTERPRET_TEST
               ? launch_tests(c->call, &c->bound->program, leaf, &args)
               : launch(c->call, &args);
}

winnow_status winnow__compute_values(const winnow__call *call,
                                     winnow__bound *bound,
                                     const winnow__set_ref set[],
                                     void *memory) {
    const winnow__where_program *const program = &bound->program;
    computing c = {.call = call,
                   .bound = bound,
                   .set = set,
                   .arrays = (unsigned char *)memory +
                             winnow__lengths_bytes(bound->values.tested,
                                                   bound->values.columns)};
    unsigned array = 0;
    WINNOW__TRY(winnow__find_lengths_on_device(call, &bound->values, memory));
    for (unsigned l = 0; l < program->leaves; l++) {
        const winnow__where_leaf *const leaf = &program->leaf[l];
        if (is_of_value(program, leaf))
            WINNOW__TRY(compute(&c, program->columns[leaf->column].tested, leaf,
                                array_at(&c, array++)));
    }
    for (unsigned i = 0; i < program->column_count; i++) {
        const winnow__where_column *const column = &program->columns[i];
        if (column->access == WINNOW__BY_VALUES && column->is_validity &&
            (c.computed >> column->tested & 1) == 0)
            WINNOW__TRY(compute(&c, column->tested, NULL, NULL));
    }
    return WINNOW_OK;
}
