"""Without an autopilot there is nothing to test here, and the reason is said."""

from pathlib import Path

import pytest

from tests.ardupilot.autopilot import why_not


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not()
    for item in items:
        if reason is not None and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))
