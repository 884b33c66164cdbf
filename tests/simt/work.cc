/*
 * Work that was enqueued: what comes after what, and carrying it out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

namespace simt {

namespace {

std::vector<NodePointer> &unfinished() {
    static auto *const nodes = new std::vector<NodePointer>;
    return *nodes;
}

/*
 * Points last until the device is idle; then all that was done before is in one
 * of them, and a new era begins.
 */
uint64_t era;
order::Point before_era;

/* What comes after a node that is done. */
order::Point end_of(const Node &node) {
    return node.era == era ? node.end : before_era;
}

void forget_points() {
    if (!order::ENABLED)
        return;
    forget_words();
    forget_strands();
    order::idle();
    before_era = order::new_point();
    const order::Outside outside;
    order::release(before_era);
    era++;
}

bool are_done(const std::vector<NodePointer> &nodes) {
    for (const NodePointer &node : nodes)
        if (node->progress != DONE)
            return false;
    return true;
}

std::vector<order::Point> ends_of(const std::vector<NodePointer> &nodes) {
    std::vector<order::Point> ends;
    if (order::ENABLED)
        for (const NodePointer &node : nodes)
            ends.push_back(end_of(*node));
    return ends;
}

/* May a kernel begin while those that it comes after still run? */
bool may_overlap(const Node &node) {
    if (!node.work.overlaps || !simt_settings.overlap)
        return false;
    for (const NodePointer &other : node.before)
        if (other->progress == QUEUED ||
            (other->progress == RUNNING &&
             (!other->grid || !other->grid->has_triggered())))
            return false;
    return true;
}

void begin_kernel(Node &node, bool early) {
    node.grid = std::make_unique<Grid>();
    Grid &grid = *node.grid;
    grid.launch = node.work.launch;
    if (order::ENABLED) {
        grid.acquires = {node.queued};
        if (before_era != nullptr)
            grid.acquires.push_back(before_era);
    }
    grid.waits = early;
    if (early) {
        /* It begins after those began, and after what they came after. */
        for (const NodePointer &other : node.before)
            if (order::ENABLED && other->progress == RUNNING)
                grid.acquires.insert(grid.acquires.end(),
                                     other->grid->acquires.begin(),
                                     other->grid->acquires.end());
            else if (order::ENABLED)
                grid.acquires.push_back(end_of(*other));
    } else {
        for (const order::Point point : ends_of(node.before))
            grid.acquires.push_back(point);
    }
    begin(grid);
    node.end = grid.end;
    node.progress = RUNNING;
}

/* As somebody who has seen what the work comes after, and no more. */
void carry_out(Node &node) {
    const order::Fiber host = order::current();
    order::switch_to(order::take_fiber());
    order::acquire(node.queued);
    if (order::ENABLED && before_era != nullptr)
        order::acquire(before_era);
    acquire_all(ends_of(node.before));
    if (node.work.act)
        node.work.act();
    node.end = order::new_point();
    order::release(node.end);
    order::switch_to(host);
    node.progress = DONE;
}

void begin_host(Node &node) {
    Node *const running = &node;
    node.host = std::thread([running] {
        running->work.host(running->work.argument);
        running->host_done = true;
    });
    node.progress = RUNNING;
}

/* Begin it, if it can; chance may have it later. */
bool try_begin(Node &node) {
    const bool done = are_done(node.before);
    if (!done && !may_overlap(node))
        return false;
    if (chance().chance(64))
        return true;
    switch (node.work.type) {
    case cudaGraphNodeTypeKernel:
        begin_kernel(node, !done);
        break;
    case cudaGraphNodeTypeHost:
        begin_host(node);
        break;
    default:
        carry_out(node);
    }
    return true;
}

/* Has it moved on? */
bool try_end(Node &node) {
    const bool done = are_done(node.before);
    if (node.grid && node.grid->waits && done) {
        node.grid->awaited = ends_of(node.before);
        go_on(*node.grid);
        return true;
    }
    if (node.grid ? !node.grid->is_over() || !done : !node.host_done)
        return false;
    if (!node.grid) {
        node.host.join();
        node.end = order::new_point();
        order::release(node.end);
    }
    node.progress = DONE;
    return true;
}

bool is_host_running() {
    for (const NodePointer &node : unfinished())
        if (node->progress == RUNNING && !node->grid)
            return true;
    return false;
}

} // namespace

NodePointer enqueue(Work work, std::vector<NodePointer> before) {
    /* Whoever is the last to hold it: kernels have read its arguments. */
    const NodePointer node(new Node, [](const Node *last) {
        const order::Outside outside;
        delete last;
    });
    node->work = std::move(work);
    for (NodePointer &other : before)
        if (other)
            node->before.push_back(std::move(other));
    node->queued = order::new_point();
    node->era = era;
    order::release(node->queued);
    unfinished().push_back(node);
    return node;
}

/* As the janitor, so that the machine's own memory is nobody's. */
bool progress() {
    const order::Outside outside;
    std::vector<NodePointer> &nodes = unfinished();
    bool any = false;
    for (size_t i = 0; i < nodes.size(); i++) {
        const NodePointer node = nodes[i];
        any |= node->progress == QUEUED ? try_begin(*node) : try_end(*node);
        if (node->progress == DONE) {
            node->before.clear();
            order::acquire(node->end);
        }
    }
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [](const NodePointer &node) {
                                   return node->progress == DONE;
                               }),
                nodes.end());
    if (!nodes.empty())
        any |= run();
    return any;
}

void progress_by_chance() {
    if (!chance().chance(64))
        return;
    for (uint32_t i = chance().below(8); i != 0; i--)
        progress();
}

void wait_until(const std::function<bool()> &is_so, const char *what) {
    while (!is_so()) {
        if (progress())
            continue;
        if (!is_host_running())
            report_stuck(what);
        pause_call(); /* what runs on the host may have to call, too */
    }
    constexpr unsigned SOON = 8;
    static unsigned waits;
    if (unfinished().empty() && ++waits % SOON == 0)
        forget_points();
}

void wait_for(const NodePointer &node) {
    if (!node)
        return;
    wait_until([&] { return node->progress == DONE; },
               "the host waits for work that does not end");
    order::acquire(end_of(*node));
}

void wait_for_all() {
    const std::vector<NodePointer> nodes = unfinished();
    wait_until([] { return unfinished().empty(); },
               "the host waits for work that does not end");
    for (const NodePointer &node : nodes)
        order::acquire(end_of(*node));
}

} // namespace simt
