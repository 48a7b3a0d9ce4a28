"""Every score of a map, declared once: the column in scores.csv, what computes it, and how people see it.

As light as `parts`. To add a metric: its function, and its entry here; one of the user's own needs `scoring.metrics`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from akrig.parts import Part, entries
from akrig.s44 import EDITION, ORDERS, SurveyOrder


@dataclass(frozen=True)
class MetricPart(Part):
    """A score of a map; its name is the column in scores.csv.

    Args:
        where: "module:function", called with what it names out of `SCORED_BY`.
        goal: what is best: "low", "high", a number to be near to; `None` if nothing is.
        unit: as it is written, "field" for that of what is mapped, "%" for a share.
        group: the table of a study that it belongs to: "error" (less is better), "calibration", or its own.
        decimals: in such a table; by its size if not given.
        has_curve: drawn over the readings; `from_zero` if it cannot be less.
        options: what else the function is called with.
    """

    goal: str | float | None = None
    unit: str = ""
    group: str = ""
    decimals: int | None = None
    has_curve: bool = True
    from_zero: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_units(self) -> bool:
        return self.unit == "field"

    @property
    def is_share(self) -> bool:
        return self.unit == "%"

    def with_units(self, units: str) -> str:
        """Its label; `units` are the field's."""
        shown = units if self.has_units else self.unit.strip("%")
        return f"{self.label} ({shown})" if shown else self.label


def _error(name: str, function: str, sentence: str, **how: Any) -> MetricPart:
    how = {"goal": "low", "group": "error"} | how
    return MetricPart(name, f"akrig.metrics:{function}", name.upper(), sentence, **how)


def _interval(percent: int) -> MetricPart:
    return MetricPart(
        f"coverage{percent}",
        "akrig.metrics:interval_coverage",
        f"{percent} % coverage",
        f"Share of the truth inside the {percent} % intervals.",
        goal=percent / 100,
        unit="%",
        group="calibration",
        has_curve=percent == 95,
        options={"level": percent / 100},
    )


def _order(order: SurveyOrder) -> MetricPart:
    return MetricPart(
        order.column,
        "akrig.metrics:share_of_order",
        order.label,
        f"Share of the area that meets its vertical uncertainty ({EDITION}), by what the map says of itself.",
        goal="high",
        unit="%",
        has_curve=False,
        options={"order": order},
    )


SCORED_BY = (
    "prediction",
    "mean",
    "std",
    "variance",
    "truth",
    "readings",
    "points",
    "foretold",
    "depth",
    "depth_std",
)  # what a metric may ask for
EPOCH_COLUMNS = ("epoch", "samples", "distance", "time", "loss")  # that stand before the metrics in scores.csv
METRICS = entries(
    _error(
        "smse", "standardized_mean_squared_error",
        "Squared error as a share of the field's variance; 1 is no better than a flat map.", decimals=4, from_zero=True,
    ),
    _error(
        "msll", "mean_standardized_log_loss", "Log loss compared with a flat map: below 0 is better than that.",
        unit="nats", decimals=3,
    ),
    _error(
        "nlpd", "negative_log_predictive_density",
        "Log loss: punishes errors, most of all those the map was sure about.", unit="nats", decimals=3,
    ),
    _error(
        "rmse", "root_mean_squared_error", "Typical size of the error (root mean square), large errors counting more.",
        unit="field", from_zero=True,
    ),
    _error("mae", "mean_absolute_error", "Average size of the error.", unit="field", from_zero=True),
    _error(
        "crps", "continuous_ranked_probability_score", "Error of the whole predicted distribution.",
        unit="field", group="calibration", has_curve=False,
    ),
    _interval(50),
    _interval(90),
    _interval(95),
    MetricPart(
        "correlation", "akrig.metrics:error_correlation", "Correlation",
        "Whether errors are large where the map says so; 1 is best.",
        goal="high", group="calibration", decimals=2, has_curve=False,
    ),
    MetricPart(
        "uncertainty", "akrig.metrics:mean_uncertainty", "Uncertainty", "Standard deviation the map gives on average.",
        unit="field", from_zero=True,
    ),
    MetricPart(
        "foretold", "akrig.metrics:held_out_coverage", "Foretold",
        "Share of the latest readings inside the 95 % intervals of the map that had not learnt them yet.",
        goal=0.95, unit="%", has_curve=False,
    ),
    *map(_order, ORDERS),
)  # fmt: skip


def own_metrics(settings: Mapping[str, Any]) -> dict[str, MetricPart]:
    """Those that nested settings declare (`scoring.metrics`), by column; what is no declaration is passed over."""
    scoring = settings.get("scoring")
    given = scoring.get("metrics") if isinstance(scoring, Mapping) else None
    declared = [{"name": each} if isinstance(each, str) else each for each in given] if isinstance(given, list) else []
    found = [_own_metric(each) for each in declared if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
    return {metric.name: metric for metric in found}


def _own_metric(declared: Mapping[str, Any]) -> MetricPart:
    """What is not said follows from its name: "mylab.metrics:mean_bias" is the column mean_bias, or "Mean bias"."""
    name, goal = declared["name"], declared.get("goal")
    column = name.partition(":")[2] or name
    label = str(declared.get("label") or column[:1].upper() + column[1:].replace("_", " "))
    sentence = str(declared.get("sentence") or "A score of your own.")
    goal = goal if goal in ("low", "high") else float(goal) if isinstance(goal, int | float) else None
    return MetricPart(column, name, label, sentence, goal=goal, unit=str(declared.get("unit") or ""))


def metrics_of(columns: Iterable[str], settings: Mapping[str, Any]) -> list[MetricPart]:
    """What columns of scores are, those in the field's units first, since everybody understands them."""
    columns, own = list(columns), own_metrics(settings)
    found = [metric for name, metric in METRICS.items() if name in columns]
    found += [own.get(name) or _own_metric({"name": name}) for name in columns if name not in METRICS]
    return sorted(found, key=lambda metric: not metric.has_units)


def metric_named(column: str) -> MetricPart:
    """By a column that no settings tell about."""
    return metrics_of([column], {})[0]
