# SPDX-License-Identifier: Apache-2.0
"""Tests of filters that engines map over blocks in several processes."""

import unittest
import warnings

import winnow
from arrays import needs, np


def keep(block, condition):
    winnow.set_threads(1)
    return winnow.copy_if(block, condition).array()


@needs("numpy")
class Engines(unittest.TestCase):
    @needs("dask")
    @needs("distributed")
    def test_dask(self):
        warnings.simplefilter("ignore")
        import dask.array
        import distributed

        random = np.random.default_rng(6)
        x = random.random(100_000)
        condition = (winnow.col("x") < 0.1) | (winnow.col("x") > 0.95)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster, distributed.Client(cluster):
            blocks = dask.array.from_array(x, chunks=7000)
            kept = blocks.map_blocks(
                keep,
                condition,
                dtype=x.dtype,
                chunks=((np.nan,) * blocks.numblocks[0],),
            ).compute()
        self.assertEqual(kept.tolist(), x[(x < 0.1) | (x > 0.95)].tolist())

    @needs("ray")
    def test_ray(self):
        warnings.simplefilter("ignore")
        import ray

        def rows(batch):
            return winnow.filter(batch, "x > 500 && x < 600").arrays()

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            kept = ray.data.from_numpy(np.arange(1000)).rename_columns({"data": "x"})
            kept = kept.map_batches(
                rows, batch_format="numpy", udf_modifying_row_count=True
            )
            found = sorted(row["x"] for row in kept.take_all())
        finally:
            ray.shutdown()
        self.assertEqual(found, list(range(501, 600)))
