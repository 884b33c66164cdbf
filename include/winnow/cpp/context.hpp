/*
 * Contexts, and how calls run. SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_CPP_CONTEXT_HPP
#define WINNOW_CPP_CONTEXT_HPP

#include <winnow/cpp/handle.hpp>
#include <winnow/cpp/span.hpp>
#include <winnow/cpp/status.hpp>

#include <string>

namespace winnow {

/* Owns a winnow_context: winnow_context_create(3). */
class context : public detail::handle<winnow_context, winnow_context_destroy> {
  public:
    /* device: a CUDA ordinal, or WINNOW_DEVICE_HOST. */
    template <class... Status,
              class = std::enable_if_t<detail::reports<Status...>>>
    explicit context(int device = WINNOW_DEVICE_HOST,
                     Status &...to) noexcept(detail::silent<Status...>)
        : device_(device) {
        winnow_context *made = nullptr;
        if (detail::report(winnow_context_create(&made, device), to...))
            reset(made);
    }

    int device() const noexcept {
        return device_;
    }

    template <class... Status>
    detail::if_reports<void, Status...>
    set_threads(unsigned threads,
                Status &...to) noexcept(detail::silent<Status...>) {
        detail::report(winnow_context_set_threads(get(), threads), to...);
    }

    template <class... Status>
    detail::if_reports<void, Status...>
    set_compile(winnow_compile compile,
                Status &...to) noexcept(detail::silent<Status...>) {
        detail::report(winnow_context_set_compile(get(), compile), to...);
    }

    /* If path is NULL, the built-in profile is used. */
    template <class... Status>
    detail::if_reports<void, Status...>
    tune(const char *path, Status &...to) noexcept(detail::silent<Status...>) {
        detail::report(winnow_context_tune(get(), path), to...);
    }

    /* winnow_context_notes(3) */
    template <class... Status>
    detail::if_reports<std::string, Status...> notes(Status &...to) const
        noexcept(detail::silent<Status...>) {
        std::string text;
        std::size_t room = 1024;
        /* Repeat until the whole text fits. */
        do {
            room *= 2;
            const auto resize = [&] { text.assign(room, '\0'); };
            if (!detail::allocate(resize, to...) ||
                !detail::report(winnow_context_notes(get(), &text[0], room),
                                to...)) {
                text.clear();
                return text;
            }
            text.resize(std::char_traits<char>::length(text.c_str()));
        } while (text.size() + 1 == room);
        return text;
    }

  private:
    int device_;
};

/*
 * A context, and how calls run on it: the first argument of every call that
 * works on arrays. A context converts to a policy with the defaults.
 *
 *     winnow::policy(context).stream(stream).stable()
 *
 * The functions have the names of the members of winnow_launch(3).
 */
class policy {
  public:
    policy(const context &context) noexcept
        : context_(context.get()), host_(context.device() < 0) {
        launch_.size = sizeof(launch_);
    }

    policy &stream(winnow_stream stream) noexcept {
        launch_.stream = stream;
        return *this;
    }
    policy &workspace(void *d_workspace, std::size_t bytes) noexcept {
        launch_.d_workspace = d_workspace;
        launch_.workspace_bytes = bytes;
        return *this;
    }
    policy &d_n(const std::uint64_t *d_n) noexcept {
        launch_.d_n = d_n;
        return *this;
    }
    policy &d_position(std::uint64_t *d_position) noexcept {
        launch_.d_position = d_position;
        return *this;
    }
    policy &order(winnow_order order) noexcept {
        launch_.order = order;
        return *this;
    }
    policy &stable() noexcept {
        return order(WINNOW_STABLE);
    }
    policy &strategy(winnow_strategy strategy) noexcept {
        launch_.strategy = strategy;
        return *this;
    }
    policy &selectivity(double expected) noexcept {
        launch_.selectivity = expected;
        return *this;
    }
    policy &d_strategy(std::int32_t *d_strategy) noexcept {
        launch_.d_strategy = d_strategy;
        return *this;
    }
    /* Write what the call needs, and enqueue nothing. */
    policy &plan(winnow_plan &plan) noexcept {
        launch_.plan = &plan;
        return *this;
    }

    winnow_context *get() const noexcept {
        return context_;
    }
    const winnow_launch *launch() const noexcept {
        return &launch_;
    }
    bool is_host() const noexcept {
        return host_;
    }

  private:
    winnow_context *context_;
    bool host_;
    winnow_launch launch_ = winnow_launch();
};

/* winnow_cache_set(3). If directory is NULL, no code is kept on disk. */
template <class... Status>
detail::if_reports<void, Status...>
cache_set(const char *directory, std::uint64_t most_bytes,
          Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_cache_set(directory, most_bytes), to...);
}
template <class... Status>
detail::if_reports<void, Status...>
cache_clear(Status &...to) noexcept(detail::silent<Status...>) {
    detail::report(winnow_cache_clear(), to...);
}

/* An empty plan, for policy::plan(). */
inline winnow_plan plan() noexcept {
    winnow_plan empty = winnow_plan();
    empty.size = sizeof(empty);
    return empty;
}

namespace detail {

/* Calls that return a result need a context of the host, because its work is
 * done when the call returns. */
template <class... Status>
bool returns(const policy &on, Status &...to) noexcept(silent<Status...>) {
    const char *wrong = nullptr;
    if (!on.is_host())
        wrong = "a result is returned on a context of the host alone: give the"
                " call an output in the device's memory";
    else if (on.launch()->d_position || on.launch()->plan)
        wrong = "d_position and plan are for calls that are given an output";
    return tell(wrong ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK, wrong ? wrong : "",
                to...);
}

} /* namespace detail */
} /* namespace winnow */

#endif /* WINNOW_CPP_CONTEXT_HPP */
