"""One cruise, for logs of every format: a boat at 2 m/s along two lines, over a bed that is a formula."""

import numpy as np

from akrig.frame import LocalFrame

FRAME = LocalFrame(8.5, 47.3)
BEGIN = 1_750_000_000  # seconds since 1970
SECONDS = 90


def cruise(rate: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seconds since the beginning, metres, and depths, so many a second."""
    time = np.arange(SECONDS * rate) / rate
    along = 2.0 * time
    X = np.where(
        (along < 80)[:, None], np.column_stack([along, 0 * along]), np.column_stack([160 - along, 12 + 0 * along])
    )
    return time, X, depth_at(X)


def depth_at(X: np.ndarray) -> np.ndarray:
    """So that 0.1 m on the ground is a centimetre, everywhere."""
    return 10 + 0.1 * X[:, 0] + 0.07 * X[:, 1]


def placed(log) -> tuple[np.ndarray, np.ndarray]:
    """Metres of `FRAME`, and depths, of a log that was read."""
    X = np.array([reading.position for reading in log.readings])
    return FRAME.to_metres(log.frame.to_degrees(X)), np.array([reading.value for reading in log.readings])
