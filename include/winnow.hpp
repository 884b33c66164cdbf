/*
 * winnow: filter arrays on a GPU, from C++17.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Header-only, on top of the C library: each function of winnow.h has a
 * counterpart in namespace winnow. winnow_cpp(7) is the manual.
 *
 *     winnow::context host;
 *     std::vector<float> prices = ...;
 *     auto low = winnow::copy_if(host, prices, winnow::less(10.0f));
 *
 * Arrow's interface is in <winnow/arrow.hpp>.
 */
#ifndef WINNOW_HPP
#define WINNOW_HPP

#include <winnow/cpp/status.hpp>
#include <winnow/cpp/type.hpp>
#include <winnow/cpp/span.hpp>
#include <winnow/cpp/packed.hpp>
#include <winnow/cpp/sized.hpp>
#include <winnow/cpp/context.hpp>
#include <winnow/cpp/predicate.hpp>
#include <winnow/cpp/array.hpp>
#include <winnow/cpp/condition.hpp>
#include <winnow/cpp/filter.hpp>
#include <winnow/cpp/aggregate.hpp>
#include <winnow/cpp/keyed.hpp>
#include <winnow/cpp/selection.hpp>
#include <winnow/cpp/select.hpp>
#include <winnow/cpp/pack.hpp>
#include <winnow/cpp/table.hpp>
#include <winnow/cpp/pipe.hpp>

#endif /* WINNOW_HPP */
