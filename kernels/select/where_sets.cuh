/*
 * Leaves of where.cuh that test whether an element is in a set of values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "where.cuh"

#include "kernels/set/look_up.cuh"

namespace winnow::select {

/* Tests a vector by a form of table. */
template <class U, class Form>
struct VectorForm {
    const Form &form;

    __device__ __forceinline__ uint32_t operator()(const uint4 &v) const {
        return set::look_up<U>(form, v);
    }
};

/* A leaf with tests or a set. */
struct TestsOrSet : Tests {
    struct Shared {
        const winnow__set_ref *sets;
        const unsigned char *memory; /* the block's shared memory */
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

} // namespace winnow::select
