/*
 * Inputs of any size: winnow_pipe(7). SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_PIPE_HPP
#define WINNOW_CPP_PIPE_HPP

#include <winnow/cpp/condition.hpp>

namespace winnow {

/* Options with the defaults. */
inline winnow_pipe_options pipe_options() noexcept {
    winnow_pipe_options options = winnow_pipe_options();
    options.size = sizeof(options);
    return options;
}

/* Owns a winnow_pipe. Context and condition must not be destroyed before it. */
class pipe : public detail::handle<winnow_pipe, winnow_pipe_destroy> {
  public:
    template <class... Status,
              class = std::enable_if_t<detail::reports<Status...>>>
    pipe(const context &context, const condition &condition,
         span<const winnow_pipe_column> columns,
         span<const winnow_pipe_input> inputs,
         span<const winnow_pipe_output> outputs,
         const winnow_pipe_options &options,
         Status &...to) noexcept(detail::silent<Status...>) {
        winnow_pipe *made = nullptr;
        if (detail::report(
                winnow_pipe_create(&made, context.get(), condition.get(),
                                   columns.data(), detail::length(columns),
                                   inputs.data(), detail::length(inputs),
                                   outputs.data(), detail::length(outputs),
                                   &options),
                to...))
            reset(made);
        inputs_ = inputs.size();
    }

    /* inputs[i] has n elements of input i. */
    template <class... Status>
    detail::if_reports<void, Status...>
    feed(span<const void *const> inputs, std::uint64_t n,
         Status &...to) noexcept(detail::silent<Status...>) {
        if (has_all(inputs.size(), to...))
            detail::report(winnow_pipe_feed(get(), inputs.data(), n), to...);
    }
    template <class... Status>
    detail::if_reports<void, Status...>
    feed_file(span<const winnow_pipe_file> files, std::uint64_t n,
              Status &...to) noexcept(detail::silent<Status...>) {
        if (has_all(files.size(), to...))
            detail::report(winnow_pipe_feed_file(get(), files.data(), n),
                           to...);
    }
    /* `read` and the functions of outputs and options must not throw. */
    template <class... Status>
    detail::if_reports<void, Status...>
    feed_read(winnow_pipe_read *read, void *user,
              Status &...to) noexcept(detail::silent<Status...>) {
        detail::report(winnow_pipe_feed_read(get(), read, user), to...);
    }

    /* The number of items that were kept. */
    template <class... Status>
    detail::if_reports<std::uint64_t, Status...>
    finish(Status &...to) noexcept(detail::silent<Status...>) {
        std::uint64_t count = 0;
        detail::report(winnow_pipe_finish(get(), &count), to...);
        return count;
    }

    template <class... Status>
    detail::if_reports<winnow_pipe_state, Status...> state(Status &...to) const
        noexcept(detail::silent<Status...>) {
        winnow_pipe_state state = winnow_pipe_state();
        state.size = sizeof(state);
        detail::report(winnow_pipe_get_state(get(), &state), to...);
        return state;
    }

  private:
    template <class... Status>
    bool has_all(std::uint64_t given, Status &...to) const
        noexcept(detail::silent<Status...>) {
        return detail::require(!get() || given == inputs_,
                               "the pipe has another number of inputs", to...);
    }

    std::uint64_t inputs_ = 0;
};

} /* namespace winnow */

#endif /* WINNOW_CPP_PIPE_HPP */
