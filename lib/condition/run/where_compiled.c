/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_compiled.h"

#include "core/status.h"
#include "cuda/launch.h"
#include "select/kernels.h"
#include "where_values.h"

winnow__to_compile winnow__to_compile_of(const winnow_condition *condition) {
    return (winnow__to_compile){.program = &condition->programs[true]->code,
                                .condition = condition};
}

winnow__to_compile winnow__to_compile_bound(const winnow__bound *bound) {
    return (winnow__to_compile){.program = &bound->program,
                                .condition = bound->where->condition,
                                .read_column = bound->values.column};
}

winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            const winnow__kernel *kernel,
                                            void *room, void *selection,
                                            void *memory) {
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    _Alignas(16) unsigned char argument[WINNOW__MOST_ARGUMENT];
    winnow__compiled_args *const args = (winnow__compiled_args *)argument;
    winnow__bound bound;
    WINNOW__TRY(winnow__find_where_patterns(call->query.context,
                                            where->condition, use));
    winnow__bind_whole(where, room, &bound);
    const winnow__to_compile what = winnow__to_compile_bound(&bound);
    winnow__place_where_strings(&bound.program, memory, to.n);
    *args = (winnow__compiled_args){
        .keep = to.keep,
        .counts = to.counts,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .n = to.n,
        .tiles = to.tiles};
    winnow__write_argument(&what, args);
    WINNOW__TRY(winnow__test_where_on_device(call, &bound, use, memory));
    return winnow__launch_source(kernel, WINNOW__SOURCE_TILES, args, &to,
                                 call->query.launch.stream);
}
