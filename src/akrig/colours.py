"""One meaning per colour: what the page, the reports and the figures are all painted with.

Uncertainty is one standard deviation of a reading wherever it is shown, as it is in `target.uncertainty`, the scores
and map.nc. Where two are drawn, as a band that should hold 95 % of the truth, the picture says so.
"""

# Tables by the names that matplotlib knows them by; `_r` is the same from its other end. The page draws without
# matplotlib: a table that is not there yet goes into live/page/colours.js, too.
VALUES = "viridis"  # low is dark
DEPTHS = "viridis_r"  # a depth counts downwards: deep is dark, as low ground is
DOUBTS = "magma_r"  # uncertainty and error: dark is far off
LENGTHS = "cividis"  # short is dark


def value_colours(quantity: str) -> str:
    """Of what is mapped."""
    return DEPTHS if quantity == "depth" else VALUES
