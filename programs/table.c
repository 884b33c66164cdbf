/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "table.h"

#include "fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FIELDS = 65536 /* of winnow_condition_parse() */
};

/* ------------------------------------------------------------------- columns */

static void compare_lengths(program_table *table) {
    const program_input *known = NULL;
    for (unsigned i = 0; i < table->input_count; i++) {
        const program_input *const input = &table->inputs[i];
        const uint64_t items = input->array.items;
        if (known == NULL && items != WINNOW_NO_LIMIT)
            known = input;
        else if (items != WINNOW_NO_LIMIT && items != known->array.items)
            program_fail(PROGRAM_FORMAT,
                         "%s has %" PRIu64 " elements, %s %" PRIu64,
                         known->path, known->array.items, input->path, items);
    }
    table->items = known != NULL ? known->array.items : WINNOW_NO_LIMIT;
}

static void add(program_table *table, unsigned input) {
    const record *const item = &table->inputs[input].array.item;
    for (size_t f = 0; f < item->field_count; f++) {
        const record_field *const field = &item->fields[f];
        if (field->type == WINNOW_OPAQUE)
            continue;
        table->fields[table->column_count] = (winnow_field){
            .name = field->name, .type = field->type, .format = field->format};
        table->columns[table->column_count++] =
            (winnow_pipe_column){.type = field->type,
                                 .input = input,
                                 .offset_bytes = (uint32_t)field->offset};
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const winnow_field *const *)a)->name,
                  (*(const winnow_field *const *)b)->name);
}

static void compare_names(const program_table *table) {
    const winnow_field **const sorted =
        program_allocate(table->column_count, sizeof *sorted);
    for (unsigned i = 0; i < table->column_count; i++)
        sorted[i] = &table->fields[i];
    qsort(sorted, table->column_count, sizeof *sorted, by_name);
    for (unsigned i = 1; i < table->column_count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            program_fail(PROGRAM_USAGE,
                         "two columns are called '%s': name the files by "
                         "NAME=FILE",
                         sorted[i]->name);
    free(sorted);
}

void program_table_make(program_table *table, program_input *inputs,
                        unsigned input_count) {
    size_t fields = 0;
    *table = (program_table){.inputs = inputs, .input_count = input_count};
    compare_lengths(table);
    for (unsigned i = 0; i < input_count; i++)
        fields += inputs[i].array.item.field_count;
    if (fields > MOST_FIELDS)
        program_fail(PROGRAM_FORMAT, "more than %d fields", MOST_FIELDS);
    table->fields = program_allocate(fields, sizeof *table->fields);
    table->columns = program_allocate(fields, sizeof *table->columns);
    for (unsigned i = 0; i < input_count; i++)
        add(table, i);
    compare_names(table);
}

void program_table_destroy(program_table *table) {
    free(table->columns);
    free(table->fields);
}

/* --------------------------------------------------------------------- texts */

/* Is a name the one at the place of an error, where no field has it? */
static bool is_at(const char *text, const winnow_place *place,
                  const char *name) {
    const bool quoted = text[place->offset] == '"';
    const size_t bytes = place->name_bytes - 2 * (size_t)quoted;
    return place->name_bytes != 0 && strlen(name) == bytes &&
           memcmp(text + place->offset + quoted, name, bytes) == 0;
}

/* Does the library know a field as int64 because it has not its unit? */
static bool has_no_unit(const record_field *field) {
    return field->format == NULL && field->type != WINNOW_OPAQUE &&
           (field->dtype[1] == 'M' || field->dtype[1] == 'm');
}

/* Where a text names a field that no condition can test, that is why it is
 * refused; or the unit may be that its last field has. */
static _Noreturn void refuse(const program_table *table, const char *text,
                             winnow_status status) {
    winnow_place place = {.size = sizeof place};
    char why[200] = "";
    if (status == WINNOW_ERR_MEMORY ||
        winnow_last_error_place(&place) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    const char *const last = place.field < table->column_count
                                 ? table->fields[place.field].name
                                 : NULL;
    for (unsigned i = 0; i < table->input_count; i++) {
        const record *const item = &table->inputs[i].array.item;
        for (size_t f = 0; f < item->field_count; f++) {
            const record_field *const field = &item->fields[f];
            if (field->type == WINNOW_OPAQUE &&
                is_at(text, &place, field->name))
                program_fail(PROGRAM_USAGE,
                             "'%s' of %s has the type %s%s: no condition can "
                             "test it",
                             field->name, table->inputs[i].path, field->dtype,
                             field->dtype[0] == '>' ? ", big-endian" : "");
            if (field->name == last && has_no_unit(field))
                snprintf(why, sizeof why,
                         ". '%.40s' has the type %s, which counts as int64: "
                         "with %ss, ms, us or ns it has a meaning",
                         field->name, field->dtype,
                         field->dtype[1] == 'M' ? "D, " : "");
        }
    }
    /* Of a long text the beginning: what is wrong is to be read, too. */
    const int most = 200;
    program_fail(PROGRAM_USAGE, "'%.*s%s': %s%s", most, text,
                 strlen(text) > (size_t)most ? "..." : "", winnow_last_error(),
                 why);
}

winnow_condition *program_table_condition(const program_table *table,
                                          const char *text) {
    winnow_condition *made = NULL;
    const winnow_status status =
        winnow_condition_parse(&made, table->fields, table->column_count, text);
    if (status != WINNOW_OK)
        refuse(table, text, status);
    return made;
}

winnow_expression *program_table_expression(const program_table *table,
                                            const char *text) {
    winnow_expression *made = NULL;
    const winnow_status status = winnow_expression_parse(
        &made, table->fields, table->column_count, text);
    if (status != WINNOW_OK)
        refuse(table, text, status);
    return made;
}

static bool is_of(const program_table *table, const unsigned *columns,
                  unsigned count, unsigned input) {
    for (unsigned i = 0; i < count; i++)
        if (table->columns[columns[i]].input == input)
            return true;
    return false;
}

bool program_table_tests(const program_table *table,
                         const winnow_condition *condition, unsigned input) {
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count = 0;
    if (winnow_condition_columns(condition, columns, &count) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    return is_of(table, columns, count, input);
}

bool program_table_computes(const program_table *table,
                            const winnow_expression *expression,
                            unsigned input) {
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count = 0;
    if (winnow_expression_columns(expression, columns, &count) != WINNOW_OK)
        program_fail(PROGRAM_DEVICE, "%s", winnow_last_error());
    return is_of(table, columns, count, input);
}
