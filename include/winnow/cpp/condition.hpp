/*
 * Conditions over several columns. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_CONDITION_HPP
#define WINNOW_CPP_CONDITION_HPP

#include <winnow/cpp/context.hpp>
#include <winnow/cpp/predicate.hpp>

#include <string_view>
#include <vector>

namespace winnow {

/* A column's name and type, for the text of conditions. */
inline winnow_field field(const char *name, winnow_type type,
                          const char *format = nullptr) noexcept {
    winnow_field field = winnow_field();
    field.name = name;
    field.type = type;
    field.format = format;
    return field;
}
template <class T>
winnow_field field(const char *name) noexcept {
    return field(name, detail::number_type<T>());
}

/* A parameter of a condition in CUDA C: a number, or an array of a device. */
template <class T>
winnow_parameter parameter(const char *name, T value) noexcept {
    constexpr winnow_type type = detail::number_type<T>();
    winnow_parameter parameter = winnow_parameter();
    parameter.name = name;
    parameter.type = type;
    if constexpr (type >= WINNOW_INT8 && type <= WINNOW_INT64)
        parameter.value.int64 = value;
    else if constexpr (type >= WINNOW_UINT8 && type <= WINNOW_UINT64)
        parameter.value.uint64 = value;
    else
        parameter.value.float64 = value;
    return parameter;
}
template <class T>
winnow_parameter parameter(const char *name, const T *d_data) noexcept {
    winnow_parameter parameter = winnow_parameter();
    parameter.name = name;
    parameter.type = detail::number_type<T>();
    parameter.d_data = d_data;
    return parameter;
}

namespace detail {

/* The numbers of the columns that a function of the library writes. */
template <class Object, class Read, class... Status>
std::vector<unsigned> columns_of(const Object *object, Read read,
                                 Status &...to) noexcept(silent<Status...>) {
    std::vector<unsigned> columns;
    unsigned count = 0;
    if (!allocate([&] { columns.resize(WINNOW_CONDITION_MOST_COLUMNS); },
                  to...))
        return {};
    report(read(object, columns.data(), &count), to...);
    columns.resize(count);
    return columns;
}

} /* namespace detail */

/* Owns a winnow_condition. Columns are numbered from 0 on.
 *
 *     auto cheap = winnow::condition::test(0, winnow::less(24.0f));
 *     auto wanted = cheap && !winnow::condition::test(1, winnow::equal(3));
 */
class condition
    : public detail::handle<winnow_condition, winnow_condition_destroy> {
  public:
    /* winnow_condition_parse(3) */
    template <class... Status>
    static detail::if_reports<condition, Status...>
    parse(span<const winnow_field> fields, const char *text,
          Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_parse(made, fields.data(),
                                              detail::length(fields), text);
            },
            to...);
    }

    /* winnow_condition_cuda(3) */
    template <class... Status>
    static detail::if_reports<condition, Status...>
    cuda(const char *body, span<const winnow_field> fields,
         span<const winnow_parameter> parameters,
         Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_cuda(
                    made, body, fields.data(), detail::length(fields),
                    parameters.data(), detail::length(parameters));
            },
            to...);
    }

    template <class T, class... Status>
    static detail::if_reports<condition, Status...>
    test(unsigned column, const predicate<T> &predicate,
         Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_test(made, column, predicate.get());
            },
            to...);
    }
    template <class Other, class... Status>
    static std::enable_if_t<!detail::is_predicate<Other>, condition>
    test(unsigned, const Other &, Status &...) = delete;
    template <class... Status>
    static detail::if_reports<condition, Status...>
    bit(unsigned column, Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_bit(made, column);
            },
            to...);
    }
    template <class... Status>
    static detail::if_reports<condition, Status...>
    is_null(unsigned column,
            Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_is_null(made, column);
            },
            to...);
    }

    /* The values are in host memory. */
    template <class Values, class... Status>
    static detail::if_reports<condition, Status...>
    in(unsigned column, const Values &values,
       Status &...to) noexcept(detail::silent<Status...>) {
        return in_memory_of(nullptr, column, detail::view(values), to...);
    }
    /* The values are in memory of the context's device, or in host memory. */
    template <class Values, class... Status>
    static detail::if_reports<condition, Status...>
    in(const context &context, unsigned column, const Values &values,
       Status &...to) noexcept(detail::silent<Status...>) {
        return in_memory_of(context.get(), column, detail::view(values), to...);
    }

    template <class... Status>
    static detail::if_reports<condition, Status...>
    text(unsigned column, winnow_text_test test, std::string_view text,
         Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_text(made, column, test, text.data(),
                                             text.size());
            },
            to...);
    }
    template <class... Status>
    static detail::if_reports<condition, Status...>
    text_in(unsigned column, span<const std::string_view> texts,
            Status &...to) noexcept(detail::silent<Status...>) {
        std::vector<winnow_buffer> buffers;
        const auto list = [&] {
            buffers.reserve(texts.size());
            for (std::uint64_t i = 0; i < texts.size(); i++)
                buffers.push_back(
                    {texts.data()[i].data(), texts.data()[i].size()});
        };
        if (!detail::allocate(list, to...))
            return condition(nullptr);
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_text_in(made, column, buffers.data(),
                                                buffers.size());
            },
            to...);
    }

    /* "a and b"; "a or b"; "not a"; "a is true" (not false or unknown). */
    template <class... Status>
    static detail::if_reports<condition, Status...>
    both(const condition &a, const condition &b,
         Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_and(made, a.get(), b.get());
            },
            to...);
    }
    template <class... Status>
    static detail::if_reports<condition, Status...>
    either(const condition &a, const condition &b,
           Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_or(made, a.get(), b.get());
            },
            to...);
    }
    template <class... Status>
    static detail::if_reports<condition, Status...>
    negation(const condition &a,
             Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_not(made, a.get());
            },
            to...);
    }
    template <class... Status>
    static detail::if_reports<condition, Status...>
    is_true(const condition &a,
            Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_is_true(made, a.get());
            },
            to...);
    }

    /* To test whether it is empty, compare get() with nullptr, since `!` makes
     * the opposite condition. */
    explicit operator bool() const = delete;

    /* Take ownership of an object that a function of the C library made. */
    static condition adopt(winnow_condition *made) noexcept {
        return condition(made);
    }

    /* Make its tables and its kernel in advance:
     * winnow_condition_prepare(3). */
    template <class... Status>
    detail::if_reports<void, Status...> prepare(const context &context,
                                                Status &...to) const
        noexcept(detail::silent<Status...>) {
        detail::report(winnow_condition_prepare(context.get(), get()), to...);
    }

    /* The same test as a predicate: winnow_condition_predicate(3). T is the
     * type of the column. */
    template <class T, class... Status>
    detail::if_reports<winnow::predicate<T>, Status...>
    as_predicate(Status &...to) const noexcept(detail::silent<Status...>) {
        winnow_predicate *made = nullptr;
        detail::report(winnow_condition_predicate(&made, get()), to...);
        return winnow::predicate<T>::adopt(made);
    }
    /* The columns that it reads: winnow_condition_columns(3). */
    template <class... Status>
    detail::if_reports<std::vector<unsigned>, Status...>
    columns(Status &...to) const noexcept(detail::silent<Status...>) {
        return detail::columns_of(get(), winnow_condition_columns, to...);
    }
    /* Bounds that are true for every item that the condition keeps. Their texts
     * belong to the condition. */
    template <class... Status>
    detail::if_reports<std::vector<winnow_bound>, Status...>
    bounds(Status &...to) const noexcept(detail::silent<Status...>) {
        std::vector<winnow_bound> bounds;
        std::uint64_t count = 0;
        if (!detail::report(winnow_condition_bounds(get(), nullptr, 0, &count),
                            to...) ||
            !detail::allocate([&] { bounds.resize(count); }, to...))
            return {};
        detail::report(
            winnow_condition_bounds(get(), bounds.data(), count, &count),
            to...);
        return bounds;
    }

  private:
    explicit condition(winnow_condition *made) noexcept : handle(made) {
    }

    template <class Make, class... Status>
    static condition made(Make make,
                          Status &...to) noexcept(detail::silent<Status...>) {
        winnow_condition *made = nullptr;
        detail::report(make(&made), to...);
        return condition(made);
    }
    template <class T, class... Status>
    static condition
    in_memory_of(winnow_context *context, unsigned column, span<T> values,
                 Status &...to) noexcept(detail::silent<Status...>) {
        return made(
            [&](winnow_condition **made) {
                return winnow_condition_in(made, context, column,
                                           detail::number_type<T>(),
                                           values.data(), values.size());
            },
            to...);
    }
};

inline condition operator&&(const condition &a, const condition &b) {
    return condition::both(a, b);
}
inline condition operator||(const condition &a, const condition &b) {
    return condition::either(a, b);
}
inline condition operator!(const condition &a) {
    return condition::negation(a);
}

} /* namespace winnow */

#endif /* WINNOW_CPP_CONDITION_HPP */
