/*
 * where.cuh for programs that have sets of values. A block copies tables to its
 * shared memory, and then decides more than one tile to a warp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_SELECT_WHERE_SETS_CUH
#define WINNOW_KERNELS_SELECT_WHERE_SETS_CUH

#include "where.cuh"

#include "kernels/set/look_up.cuh"

namespace winnow::select {

/* A form of table, as the test of a vector. */
template <class U, class Form>
struct VectorForm {
    const Form &form;

    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        return set::look_up<U>(form, v);
    }
};

/* What a leaf asks of the column that it loads. */
struct TestsOrSet : Tests {
    struct Shared {
        const winnow__set_ref *sets;
        const unsigned char *memory; /* of the block */
    };

    const winnow__set_ref &set;
    const unsigned char *memory;

    template <class Program>
    __device__ __forceinline__ TestsOrSet(const Program &program,
                                          const winnow__where_leaf &leaf,
                                          const Shared &shared)
        : Tests(program, leaf, Tests::Shared()),
          set(shared.sets[leaf.tests == 0 ? leaf.first : 0]),
          memory(shared.memory) {
    }

    template <class U, class Visit>
    __device__ __forceinline__ void visit_vectors(Visit visit) const {
        if (number != 0)
            Tests::visit_vectors<U>(visit);
        else
            set::visit_set<U>(set, memory, [&](const auto &form) {
                using Form = std::decay_t<decltype(form)>;
                visit(VectorForm<U, Form>{form});
            });
    }

    template <class U, class Visit>
    __device__ __forceinline__ void visit_elements(Visit visit) const {
        if (number != 0)
            Tests::visit_elements<U>(visit);
        else
            set::visit_set_anywhere<U>(set, memory, visit);
    }
};

/* The tables of a program. */
__device__ __forceinline__ const winnow__set_ref *
sets_of(const winnow__select_where_sets_args &args) {
    return args.set;
}

__device__ __forceinline__ const winnow__set_ref *
sets_of(const winnow__select_where_sets_large_args &args) {
    return args.program.set + 2 * WINNOW__WHERE_MOST_TESTS - args.sets;
}

/* Shared memory has the sets of live items that are saved, and behind them the
 * tables that were given a place there. */
template <class Args, bool ORDERED>
__global__ void __launch_bounds__(SOURCE_THREADS, WHERE_BLOCKS)
    select_where_sets(const __grid_constant__ Args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    for (unsigned int i = 0; i < args.sets; i++)
        set::copy_table(sets_of(args)[i], shared);
    __syncthreads(); /* each thread reads what others have copied */
    Saved saved(shared, args.program.depth);
    const auto ops = ops_of<Args, ORDERED>(args);
    /* 32 bits hold the number of a tile (lib/selection/format.h). */
    const unsigned int tiles = static_cast<unsigned int>(args.to.tiles);
#pragma unroll 1
    for (unsigned int tile = static_cast<unsigned int>(tile_of_warp());
         tile < tiles; tile += gridDim.x * SOURCE_WARPS)
        decide_tile<TestsOrSet>(args, ops, tile, saved,
                                {sets_of(args), shared});
}

} // namespace winnow::select

#endif
