/*
 * Aggregates of the items that pass a condition.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_AGGREGATE_HPP
#define WINNOW_CPP_AGGREGATE_HPP

#include <winnow/cpp/array.hpp>
#include <winnow/cpp/condition.hpp>

#include <vector>

namespace winnow {

/* Owns a winnow_expression. Columns are numbered from 0 on.
 *
 *     const auto revenue = winnow::expression::parse(
 *         {winnow::field<double>("price"), winnow::field<float>("discount")},
 *         "price * (1 - discount)");
 */
class expression
    : public detail::handle<winnow_expression, winnow_expression_destroy> {
  public:
    /* winnow_expression_parse(3) */
    template <class... Status>
    static detail::if_reports<expression, Status...>
    parse(span<const winnow_field> fields, const char *text,
          Status &...to) noexcept(detail::silent<Status...>) {
        winnow_expression *made = nullptr;
        detail::report(winnow_expression_parse(&made, fields.data(),
                                               detail::length(fields), text),
                       to...);
        return expression(made);
    }

    /* winnow_expression_column(3) */
    template <class... Status>
    static detail::if_reports<expression, Status...>
    column(unsigned column, winnow_type type,
           Status &...to) noexcept(detail::silent<Status...>) {
        winnow_expression *made = nullptr;
        detail::report(winnow_expression_column(&made, column, type), to...);
        return expression(made);
    }
    template <class T, class... Status>
    static detail::if_reports<expression, Status...>
    column(unsigned column, Status &...to) noexcept(detail::silent<Status...>) {
        return expression::column(column, detail::number_type<T>(), to...);
    }

    /* Take ownership of an object that a function of the C library made. */
    static expression adopt(winnow_expression *made) noexcept {
        return expression(made);
    }

    /* The type of the expression's values. winnow::number<T>() returns this
     * type, or double for float32. */
    winnow_type type() const noexcept {
        return winnow_expression_type(get());
    }

    /* The type of the values as a format of Arrow's C data interface, such as
     * "d:24,4" for decimals. */
    const char *format() const noexcept {
        return winnow_expression_format(get());
    }

    /* The columns that it reads: winnow_expression_columns(3). */
    template <class... Status>
    detail::if_reports<std::vector<unsigned>, Status...>
    columns(Status &...to) const noexcept(detail::silent<Status...>) {
        return detail::columns_of(get(), winnow_expression_columns, to...);
    }

  private:
    explicit expression(winnow_expression *made) noexcept : handle(made) {
    }
};

/* wanted: winnow_reduce bits. The result refers to the expression. */
inline winnow_aggregate aggregate(const expression &of,
                                  unsigned wanted) noexcept {
    winnow_aggregate aggregate = winnow_aggregate();
    aggregate.expression = of.get();
    /* Without an expression a call counts items, and refuses a sum. */
    aggregate.wanted = of.get() ? wanted : wanted | WINNOW_REDUCE_SUM;
    return aggregate;
}
inline winnow_aggregate aggregate(expression &&, unsigned) = delete;
/* The number of items that pass. */
inline winnow_aggregate count_items() noexcept {
    winnow_aggregate aggregate = winnow_aggregate();
    aggregate.wanted = WINNOW_REDUCE_COUNT;
    return aggregate;
}

using aggregate_list = span<const winnow_aggregate>;

namespace detail {

template <class... Status>
void reduce_where(const policy &on, const winnow_condition *condition,
                  const column_list &columns, std::uint64_t n,
                  aggregate_list aggregates, winnow_reduction *d_results,
                  Status &...to) noexcept(silent<Status...>) {
    if (has(columns, n, to...))
        report(winnow_reduce_where(on.get(), condition, columns.data(),
                                   length(columns), n, aggregates.data(),
                                   length(aggregates), d_results, on.launch()),
               to...);
}

template <class... Status>
std::vector<winnow_reduction>
reduced_where(const policy &on, const winnow_condition *condition,
              const column_list &columns, std::uint64_t n,
              aggregate_list aggregates,
              Status &...to) noexcept(silent<Status...>) {
    std::vector<winnow_reduction> results;
    const auto resize = [&] { results.resize(aggregates.size()); };
    if (returns(on, to...) && allocate(resize, to...))
        reduce_where(on, condition, columns, n, aggregates, results.data(),
                     to...);
    return results;
}

} /* namespace detail */

/* winnow_reduce_where(3). Column c of the condition and of the expressions is
 * columns[c]; d_results has room for one result for each aggregate. */
template <class... Status>
detail::if_reports<void, Status...>
reduce_where(const policy &on, const column_list &columns, std::uint64_t n,
             const condition &condition, aggregate_list aggregates,
             winnow_reduction *d_results,
             Status &...to) noexcept(detail::silent<Status...>) {
    if (detail::require(condition.get(), "condition is NULL", to...))
        detail::reduce_where(on, condition.get(), columns, n, aggregates,
                             d_results, to...);
}
template <class... Status>
detail::if_reports<std::vector<winnow_reduction>, Status...>
reduce_where(const policy &on, const column_list &columns, std::uint64_t n,
             const condition &condition, aggregate_list aggregates,
             Status &...to) noexcept(detail::silent<Status...>) {
    return detail::require(condition.get(), "condition is NULL", to...)
               ? detail::reduced_where(on, condition.get(), columns, n,
                                       aggregates, to...)
               : std::vector<winnow_reduction>();
}
/* The same for all items. */
template <class... Status>
detail::if_reports<void, Status...>
reduce_all(const policy &on, const column_list &columns, std::uint64_t n,
           aggregate_list aggregates, winnow_reduction *d_results,
           Status &...to) noexcept(detail::silent<Status...>) {
    detail::reduce_where(on, nullptr, columns, n, aggregates, d_results, to...);
}
template <class... Status>
detail::if_reports<std::vector<winnow_reduction>, Status...>
reduce_all(const policy &on, const column_list &columns, std::uint64_t n,
           aggregate_list aggregates,
           Status &...to) noexcept(detail::silent<Status...>) {
    return detail::reduced_where(on, nullptr, columns, n, aggregates, to...);
}

/* winnow_accumulate_where(3). values and sums have one array for each
 * component. */
template <class Keys, class... Status>
detail::if_reports<void, Status...>
accumulate_where(const policy &on, const column_list &columns,
                 const condition &condition, const Keys &keys,
                 const column_list &values, std::uint64_t key_bound,
                 const output_list &sums, std::uint64_t *d_beyond,
                 Status &...to) noexcept(detail::silent<Status...>) {
    const winnow_in in = column(keys);
    const std::uint64_t n = std::size(keys);
    winnow_accumulation accumulation = winnow_accumulation();
    accumulation.keys = &in;
    accumulation.values = values.data();
    accumulation.sums = sums.data();
    accumulation.components = detail::length(values);
    accumulation.key_bound = key_bound;
    if (detail::require(values.size() == sums.size(),
                        "values and sums differ in number", to...) &&
        detail::has(columns, n, to...) && detail::has(values, n, to...) &&
        detail::has_room(on, sums, key_bound, to...))
        detail::report(
            winnow_accumulate_where(on.get(), condition.get(), columns.data(),
                                    detail::length(columns), n, &accumulation,
                                    d_beyond, on.launch()),
            to...);
}
template <class Keys, class... Status>
detail::if_reports<void, Status...>
accumulate_where(const policy &on, const column_list &columns,
                 const condition &condition, const Keys &keys,
                 const column_list &values, std::uint64_t key_bound,
                 const output_list &sums,
                 Status &...to) noexcept(detail::silent<Status...>) {
    accumulate_where(on, columns, condition, keys, values, key_bound, sums,
                     nullptr, to...);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_AGGREGATE_HPP */
