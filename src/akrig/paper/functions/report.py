"""The report of a one-dimensional study: what each model makes of a function, and what its kernel has learnt."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from akrig.metric_parts import METRICS, MetricPart
from akrig.paper.functions.step import Fit
from akrig.paper.writing import (
    GroupedRows,
    ReportTable,
    add_figure,
    seeds_text,
    signed,
    write_csv,
    write_markdown,
    write_page,
)
from akrig.plots import page
from akrig.plots.formatting import best_places, counted, number, percent
from akrig.plots.line import fitted_lines_figure
from akrig.study.definition import Study
from akrig.study.regression.settings import FUNCTIONS
from akrig.study.results import Result, Results
from akrig.words import capital

_WITHIN = MetricPart("within_2_std", "akrig.metrics:coverage", "Within 2 std", "", goal=0.954, unit="%")
_COLUMNS = {m.name: m for m in (*map(METRICS.__getitem__, ("rmse", "nlpd", "msll")), _WITHIN, METRICS["correlation"])}
_CAPTION = (
    "The band reaches two standard deviations to either side of the prediction, noise included. Beneath an attentive "
    "kernel: how much weight each of its lengthscales has (in normalised units, in which the line is two long), and "
    "the memberships, if they have a network of their own; readings of different memberships do not see each other."
)
_NOTE = (
    "Scored on an even grid against the truth without noise. RMSE, NLPD and MSLL should be low, 95.4 % of the truth "
    "or a little more should lie within two standard deviations, and errors should be large where the standard "
    "deviation is (correlation)."
)
_ONE_SEED = (
    "This is seed {seed} alone. Marginal likelihoods like these have many optima; other seeds find others, as more of "
    "them would show (--seeds)."
)


@dataclass(frozen=True)
class FunctionOutcome:
    """One run's final scores."""

    field: str
    model: str
    seed: int
    scores: dict[str, float]


def write_functions(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, a figure per function and seed, and the page; returns what to say in the terminal."""
    lines = Results([result for result in results if "y" not in result.data.dims])
    outcomes = [_outcome(result) for result in lines]
    sentences = [sentence for group in _groups(outcomes) for sentence in _sentences(group)]
    table = _table(outcomes)
    _write_tables(folder, study, outcomes, table)
    parts = [page.paragraph(" ".join(sentences), kind="lead")]
    parts.append(page.section("Fits", _figures(lines, folder)))
    parts.append(page.section("Scores", [page.paragraph(_NOTE), page.study_table(table)] if outcomes else []))
    return [*sentences, write_page(study, results, folder, parts)]


def _outcome(result: Result) -> FunctionOutcome:
    scores = {name: float(result.data.attrs[name]) for name in _COLUMNS if name in result.data.attrs}
    return FunctionOutcome(result.data.attrs["field"], result.label("kernel"), int(result.labels["seed"]), scores)


def _groups(outcomes: Sequence[FunctionOutcome]) -> list[list[FunctionOutcome]]:
    """By function."""
    fields = dict.fromkeys(outcome.field for outcome in outcomes)
    return [[outcome for outcome in outcomes if outcome.field == field] for field in fields]


def _figures(results: Results, folder: Path) -> list[str]:
    """One for each function, of the first seed; those of other seeds are folded away."""
    shown, folded = [], []
    for field in dict.fromkeys(result.data.attrs["field"] for result in results):
        of_field = [result for result in results if result.data.attrs["field"] == field]
        for place, seed in enumerate(dict.fromkeys(result.labels["seed"] for result in of_field)):
            fits = [Fit.of(result.label("kernel"), result.data) for result in of_field if result.labels["seed"] == seed]
            jumps = FUNCTIONS[field].jumps if field in FUNCTIONS else ()
            name = field if place == 0 else f"{field}-seed-{seed}"
            figure = fitted_lines_figure(fits, jumps=jumps)
            html = add_figure(
                folder, name, figure, alt=f"Fits to {field}, seed {seed}", caption=f"Seed {seed}. {_CAPTION}"
            )
            (shown if place == 0 else folded).append(html)
    return [*shown, page.details(f"Other seeds ({len(folded)})", folded)]


def _sentences(outcomes: Sequence[FunctionOutcome]) -> list[str]:
    """What the numbers of one function say."""
    seeds = list(dict.fromkeys(outcome.seed for outcome in outcomes))
    models = list(dict.fromkeys(outcome.model for outcome in outcomes))
    name = f"the {outcomes[0].field} function"
    losses = {
        model: median(outcome.scores["nlpd"] for outcome in outcomes if outcome.model == model) for model in models
    }
    if len(models) < 2:
        return [f"{capital(name)} was fitted with one model only: there is nothing to compare."]
    order = sorted(losses, key=losses.__getitem__)
    best, second, worst = order[0], order[1], order[-1]
    typical = "median " if len(seeds) > 1 else ""
    said = [
        f"On {name}, \u201c{best}\u201d has the lowest {typical}log loss (NLPD {signed(losses[best])}); next is "
        f"\u201c{second}\u201d ({signed(losses[second])})"
        + (f", last \u201c{worst}\u201d ({signed(losses[worst])})." if len(order) > 2 else ".")
    ]
    said.append(_errors(outcomes, best, worst))
    said.append(_over_seeds(outcomes, seeds, best) if len(seeds) > 1 else _ONE_SEED.format(seed=seeds[0]))
    return said


def _errors(outcomes: Sequence[FunctionOutcome], best: str, worst: str) -> str:
    def typical(model: str, score: str) -> float:
        return median(outcome.scores[score] for outcome in outcomes if outcome.model == model)

    ratio = typical(best, "rmse") / typical(worst, "rmse")
    return (
        f"Its RMSE of {number(typical(best, 'rmse'))} is {percent(ratio)} of the latter's, and "
        f"{percent(typical(best, 'within_2_std'))} of the truth lies within its two standard deviations."
    )


def _over_seeds(outcomes: Sequence[FunctionOutcome], seeds: Sequence[int], best: str) -> str:
    """How often it is best, and how often another seed finds as good an optimum as the first."""
    wins = 0
    for seed in seeds:
        of_seed = {outcome.model: outcome.scores["nlpd"] for outcome in outcomes if outcome.seed == seed}
        wins += best in of_seed and of_seed[best] == min(of_seed.values())
    ours = {outcome.seed: outcome.scores["nlpd"] for outcome in outcomes if outcome.model == best}
    text = f"It is the best model with {wins} of {counted(len(seeds), 'seed')} ({seeds_text(seeds)})"
    if seeds[0] in ours and len(ours) > 1:
        as_good = sum(loss <= ours[seeds[0]] + 0.05 for seed, loss in ours.items() if seed != seeds[0])
        others = counted(len(ours) - 1, "other seed")
        text += f"; {as_good} of {others} reached a log loss at most 0.05 above that of seed {seeds[0]}"
    return f"{text}."


def _table(outcomes: Sequence[FunctionOutcome]) -> ReportTable:
    """Every run; of each function and seed the best model in bold."""
    rows = GroupedRows()
    groups: dict[tuple[str, int], list[FunctionOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.field, outcome.seed), []).append(outcome)
    for (field, seed), members in groups.items():
        rows.begin(f"{field}, seed {seed}", [member.model for member in members])
        for score, metric in _COLUMNS.items():
            column = [member.scores.get(score) for member in members]
            rows.add([_shown(value, score) for value in column], best_places(column, metric.goal))
    return rows.table(["Function", "Model", *(metric.label for metric in _COLUMNS.values())])


def _shown(value: float | None, score: str) -> str:
    if value is None:
        return "\u2013"
    metric = _COLUMNS[score]
    return percent(value) if metric.is_share else signed(value, digits=metric.decimals or 3)


def _write_tables(folder: Path, study: Study, outcomes: Sequence[FunctionOutcome], table: ReportTable) -> None:
    lines = [[o.field, o.model, o.seed, *(o.scores.get(name) for name in _COLUMNS)] for o in outcomes]
    write_csv(folder, "scores", ["function", "model", "seed", *_COLUMNS], lines)
    write_markdown(folder, "scores", [f"# {study.title}", _NOTE, table])
