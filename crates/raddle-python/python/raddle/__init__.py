"""May my inference share the training GPU, under which policy, and what does it cost?

raddle replays GPU profiles under scheduling policies. `replay` answers as data, tables and a page; the command
`raddle` comes with this package.

    >>> import raddle
    >>> result = raddle.replay(["serve.json.gz", "train.json.gz"], requests={"serve": "40/s"}, goal="serve p99 20ms")
    >>> result.verdict
    >>> result.processes.to_pandas()
"""

from ._dispatcher import Dispatcher
from ._golden import check_placement, golden
from ._raddle import (
    Allocator,
    BlockWarp,
    FreeMap,
    LawBroken,
    PacketAgent,
    PlacementCheck,
    PlacementReport,
    RaddleError,
    Ring,
    Slices,
    hint,
)
from ._replay import Result, main, replay, share
from ._sweep import Sweep, sweep
from ._table import Table

__all__ = [
    "Allocator",
    "BlockWarp",
    "Dispatcher",
    "FreeMap",
    "LawBroken",
    "PacketAgent",
    "PlacementCheck",
    "PlacementReport",
    "RaddleError",
    "Result",
    "Ring",
    "Slices",
    "Sweep",
    "Table",
    "check_placement",
    "golden",
    "hint",
    "main",
    "replay",
    "share",
    "sweep",
]
