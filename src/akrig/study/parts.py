"""What a study is made of, declared once: the kinds of runs, and the reports; yours are "module:function"."""

from dataclasses import dataclass

from akrig.parts import Part, entries


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


NO_REPORT = "none"


@dataclass(frozen=True)
class ReportPart(Part):
    """`where` names a function of the study, its results and its folder, as the user's own are; `kind` its runs."""

    kind: str = "mission"


def _of_paper(name: str, where: str, sentence: str, *, kind: str = "mission") -> ReportPart:
    return ReportPart(name, f"akrig.paper.{where}", name, sentence, kind=kind)


REPORTS = entries(
    _of_paper("benchmark", "benchmark.report:write_benchmark", "Kernels against each other, beside the paper."),
    _of_paper("sensitivity", "sensitivity.report:write_sensitivity", "Each setting of the kernel, varied alone."),
    _of_paper("ablation", "ablation:write_ablation", "The kernel without one of its parts."),
    _of_paper("overfitting", "overfitting.report:write_overfitting", "Scores during training.", kind="regression"),
    _of_paper("function", "functions.report:write_functions", "Fits of functions of one variable.", kind="regression"),
    _of_paper("volcano", "maps.volcano:write_volcano", "Maps of every model side by side.", kind="regression"),
    _of_paper("snapshots", "maps.snapshots:write_snapshots", "Maps of missions side by side."),
    _of_paper("scoring", "scoring:write_scoring", "What scoring less often changes."),
)
