# SPDX-License-Identifier: Apache-2.0
"""Measure the routing step of a mixture of experts with PyTorch. It moves tokens to the
experts that they chose, does a stand-in for the experts' work, and moves them back with
weights. With winnow partition_by_key(align=) makes each expert's tokens begin at a
multiple of a block. With torch.sort and torch.bincount the step computes the same from
the offsets.

    python bench/experts.py [--device cuda] [--tokens 4096] [--choices 8]
        [--experts 64] [--width 64]

Both give the same tokens, within a tolerance. The figures are microseconds for the
packing alone and for the whole step. On a GPU winnow's step is a CUDA graph that is
replayed. The step with bincount waits for the device, so it cannot be a graph.
"""

import argparse
import time
from typing import Any, Callable, NamedTuple

import torch

import winnow

ALIGN = 16


class Packed(NamedTuple):
    """Choices in blocks of one expert each, -1 in the gaps, and each block's expert.

    There is room for the greatest number of blocks. Unused blocks have only -1.
    """

    choices: Any
    experts: Any


class Step(NamedTuple):
    """A step. `chosen` has the experts of each token, or -1. `matrices` has a matrix
    for each expert, the stand-in for its work."""

    tokens: Any
    chosen: Any
    weights: Any
    matrices: Any


def most_blocks(choices: int, experts: int) -> int:
    return (choices + min(choices, experts) * (ALIGN - 1)) // ALIGN


def pack_by_winnow(step: Step, numbers: Any) -> Packed:
    experts = len(step.matrices)
    made = winnow.partition_by_key(
        step.chosen.flatten(), numbers, parts=experts, align=ALIGN, fill=(0, -1)
    )
    at = torch.arange(len(made.columns[0]), device=numbers.device)
    # The contents after the last block are undefined.
    choices = torch.where(at < made.offsets[-1], made.columns[0], -1)
    blocks = made.block_parts.clamp(0, experts - 1)
    return Packed(choices, blocks[: len(choices) // ALIGN])


def pack_by_sort(step: Step, numbers: Any) -> Packed:
    chosen = step.chosen.flatten()
    experts = len(step.matrices)
    room = most_blocks(len(chosen), experts) * ALIGN
    # -1, the choice of no expert, counts as one more expert after the last.
    of = torch.where(chosen < 0, experts, chosen)
    order = torch.sort(of, stable=True)
    counts = torch.bincount(of, minlength=experts + 1)[: experts + 1]
    padded = (counts[:experts] + ALIGN - 1) // ALIGN * ALIGN
    ends = padded.cumsum(0)
    moved = torch.zeros_like(counts)
    moved[1:] = ends
    places = (moved - (counts.cumsum(0) - counts))[order.values] + numbers
    # The choices of no expert go after all blocks.
    places = torch.where(order.values == experts, room, places)
    choices = torch.full((room + 1,), -1, dtype=torch.int64, device=chosen.device)
    choices[places] = order.indices
    begins = torch.arange(0, room, ALIGN, device=chosen.device)
    blocks = torch.searchsorted(ends, begins, right=True).clamp(max=experts - 1)
    return Packed(choices[:room], blocks)


def run(step: Step, packed: Packed) -> Any:
    """Do the experts' work, and move the results back to the tokens."""
    choices = packed.choices.reshape(-1, ALIGN).long()
    of_token = choices.clamp(min=0) // step.chosen.shape[1]
    done = torch.bmm(step.tokens[of_token], step.matrices[packed.experts.long()])
    weights = step.weights.flatten()[choices.clamp(min=0)] * (choices >= 0)
    out = torch.zeros_like(step.tokens)
    done *= weights[..., None]
    return out.index_add_(0, of_token.flatten(), done.flatten(0, 1))


def make(tokens: int, choices: int, experts: int, width: int, device: str) -> Step:
    draw = torch.Generator().manual_seed(3)
    scores = torch.rand(tokens, experts, generator=draw)
    weights, chosen = scores.topk(choices)
    chosen[torch.rand(tokens, choices, generator=draw) < 0.05] = -1
    return Step(
        torch.rand(tokens, width, generator=draw).to(device),
        chosen.to(device),
        weights.to(device),
        (torch.rand(experts, width, width, generator=draw) / width).to(device),
    )


def expect(step: Step) -> Any:
    """Compute the right result, one choice at a time."""
    out = torch.zeros_like(step.tokens)
    for k in range(step.chosen.shape[1]):
        for expert, matrix in enumerate(step.matrices):
            of = step.chosen[:, k] == expert
            out[of] += step.weights[of, k, None] * (step.tokens[of] @ matrix)
    return out


CALLS = 20  # one after another, on a GPU


def captured(call: Callable[[], Any]) -> Callable[[], Any]:
    """Capture CALLS calls of a function as a CUDA graph."""
    with torch.cuda.stream(torch.cuda.Stream()):  # make what only the first call makes
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            call()
    return graph.replay


def microseconds(call: Callable[[], Any], device: str, in_graph: bool) -> float:
    """Return the median of several rounds."""
    number = CALLS if device != "cpu" else 1

    def in_turn() -> None:
        for _ in range(number):
            call()

    calls = captured(call) if in_graph and device != "cpu" else in_turn
    wait = torch.cuda.synchronize if device != "cpu" else lambda: None
    times = []
    for _ in range(11):
        wait()
        start = time.perf_counter()
        calls()
        wait()
        times.append(time.perf_counter() - start)
    return sorted(times)[5] / number * 1e6


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    for name, usual in (("tokens", 4096), ("choices", 8), ("experts", 64)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--width", type=int, default=64)
    args = parser.parse_args()
    step = make(args.tokens, args.choices, args.experts, args.width, args.device)
    numbers = torch.arange(step.chosen.numel(), device=args.device)
    wanted = expect(step)
    right = True
    for name, pack, in_graph in (
        ("winnow", pack_by_winnow, True),
        ("torch.sort and bincount", pack_by_sort, False),
    ):

        def packing() -> Any:
            return pack(step, numbers)

        def all_of_it() -> Any:
            return run(step, packing())

        same = torch.allclose(all_of_it(), wanted, rtol=1e-3, atol=1e-4)
        right = right and same
        first, whole = (
            microseconds(call, args.device, in_graph) for call in (packing, all_of_it)
        )
        print(
            f"{name}: {first:.1f} us, {whole:.1f} us with the work, "
            f"{'right' if same else 'WRONG'}"
        )
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
