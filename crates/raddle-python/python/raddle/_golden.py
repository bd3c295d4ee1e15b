"""How does a test bench ask the golden models?"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _raddle
from ._raddle import PlacementReport, RaddleError

__all__ = ["check_placement", "golden"]


def golden(topic: str, question: Mapping[str, Any]) -> dict[str, Any]:
    """Answers a question as `raddle golden TOPIC` does; `raddle explain TOPIC` shows an example of one. A question that cannot be answered raises
    `RaddleError`."""
    answer: dict[str, Any] = json.loads(_raddle.answer(topic, json.dumps(question)))
    return answer


def check_placement(
    table: str | os.PathLike[str] | Iterable[str], fit: str | Mapping[str, str] | None = None, lag: int = 0
) -> PlacementReport:
    """Checks a table of what a dispatcher did, as `raddle check-placement` does: a file, or the lines of one. `fit` is the rule that predicts starts, or one
    for each resource by name."""
    if isinstance(table, (str, os.PathLike)):
        try:
            lines = Path(table).read_bytes()
        except OSError as error:
            raise RaddleError(f"{table} cannot be read: {error.strerror}") from error
    else:
        lines = "\n".join(line.rstrip("\n") for line in table).encode()
    return _raddle.check_table(lines, fit, lag)
