"""What one run of a study can be: who checks its settings, and who computes it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RunKind:
    """Functions by their names, "module:name": what computes is heavy, and loaded when needed.

    Args:
        check: (settings), raises what is wrong with them before anything runs.
        compute: (settings, empty folder), returns the result as a dataset.
    """

    check: str
    compute: str


KINDS = {
    "mission": RunKind("akrig.study.missions:check_mission", "akrig.study.missions:compute_mission"),
    "regression": RunKind(
        "akrig.study.regression.settings:check_regression", "akrig.study.regression.fitting:compute_regression"
    ),
}
