/*
 * winnow: filter tables in Arrow's C data interface, from C++17.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The structs are Arrow's; winnow_arrow(7) says who releases them.
 */
#ifndef WINNOW_ARROW_HPP
#define WINNOW_ARROW_HPP

#include <winnow.hpp>
#include <winnow/arrow.h>

namespace winnow {

/* winnow_condition_parse_arrow(3) */
template <class... Status>
detail::if_reports<condition, Status...>
condition_parse_arrow(const ArrowSchema &schema, const char *text,
                      Status &...to) noexcept(detail::silent<Status...>) {
    winnow_condition *made = nullptr;
    detail::report(winnow_condition_parse_arrow(&made, &schema, text), to...);
    return condition::adopt(made);
}

/* winnow_filter_arrow(3). `out` is written only on success. */
template <class... Status>
detail::if_reports<void, Status...>
filter_arrow(const policy &on, const ArrowSchema &schema,
             const ArrowDeviceArray &in, const condition &condition,
             ArrowDeviceArray &out,
             Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_filter_arrow(on.get(), condition.get(), &schema, &in,
                                       &out, on.launch()),
                   to...);
}

/* winnow_filter_arrow_stream(3). `in` is moved into `out`. */
template <class... Status>
detail::if_reports<void, Status...>
filter_arrow_stream(const context &host, const char *text, ArrowArrayStream &in,
                    ArrowArrayStream &out,
                    Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_filter_arrow_stream(host.get(), text, &in, &out),
                   to...);
}
template <class... Status>
detail::if_reports<void, Status...>
filter_arrow_device_stream(const context &context, const char *text,
                           ArrowDeviceArrayStream &in,
                           ArrowDeviceArrayStream &out,
                           Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(
        winnow_filter_arrow_device_stream(context.get(), text, &in, &out),
        to...);
}

} /* namespace winnow */

#endif /* WINNOW_ARROW_HPP */
