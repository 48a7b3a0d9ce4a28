"""The report of a regression of a field: maps of every model side by side, and their scores."""

from pathlib import Path

from akrig.paper.maps.figure import MAPS_CAPTION, final_maps_figure, final_scores, final_scores_table, groups_of
from akrig.paper.writing import add_figure, signed, write_csv, write_markdown, write_page
from akrig.plots import page
from akrig.plots.formatting import amount, kernel_words, percent
from akrig.study.definition import Study
from akrig.study.results import Results
from akrig.words import capital

_SCORES = ("rmse", "mae", "smse", "msll", "nlpd", "crps", "coverage95", "correlation")
_NOTE = "Scored on the map's grid against the truth; one row per model and seed."


def write_volcano(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, a figure per field and seed, and the page; returns what to say in the terminal."""
    maps = Results([result for result in results if result.data["mean"].ndim == 2])
    sentences = _sentences(maps)
    table = final_scores_table(maps, _SCORES)
    names = ["field", "kernel", "seed"]
    rows = [[*(result.label(name) for name in names), *final_scores(result, _SCORES).values()] for result in maps]
    write_csv(folder, "scores", [*names, *_SCORES], rows)
    write_markdown(folder, "scores", [f"# {study.title}", _NOTE, table])
    parts = [
        page.paragraph(" ".join(sentences), kind="lead"),
        page.section("Maps", _figures(maps, folder)),
        page.section("Scores", [page.paragraph(_NOTE), page.study_table(table)] if len(maps) else []),
    ]
    return [*sentences, write_page(study, results, folder, parts)]


def _figures(maps: Results, folder: Path) -> list[str]:
    """Of the first seed; others are folded away."""
    shown, folded = [], []
    fields_seen = set()
    for group, members in groups_of(maps).items():
        field, seed = members[0].label("field"), members[0].labels["seed"]
        is_first = field not in fields_seen
        fields_seen.add(field)
        name = f"maps-{field}" if is_first else f"maps-{field}-seed-{seed}"
        html = add_figure(folder, name, final_maps_figure(members), alt=f"Maps of {group}", caption=MAPS_CAPTION)
        (shown if is_first else folded).append(html)
    return [*shown, page.details(f"Other seeds ({len(folded)})", folded)]


def _sentences(maps: Results) -> list[str]:
    """The two things that the paper says of this figure: more detail, and doubt where the errors are."""
    if not len(maps):
        return ["There is no map yet."]
    said = []
    for field in dict.fromkeys(result.label("field") for result in maps):
        means = _means(Results([result for result in maps if result.label("field") == field]))
        units = maps[0].data.attrs.get("units", "")
        if len(means) < 2:
            continue
        order = sorted(means, key=lambda kernel: means[kernel]["msll"])
        best, other = order[0], order[-1]
        change = means[best]["rmse"] / means[other]["rmse"] - 1
        error = amount(means[best]["rmse"], units)
        said.append(
            f"On {field}, {kernel_words(best)} has the lower MSLL ({signed(means[best]['msll'])} against "
            f"{signed(means[other]['msll'])} of {kernel_words(other)}); its RMSE of {error} "
            f"is {percent(abs(change))} {'lower' if change < 0 else 'higher'}."
        )
        said.append(_pointing(means, best, other))
    return said or ["There is one model only: nothing to compare."]


def _pointing(means: dict[str, dict[str, float]], best: str, other: str) -> str:
    follows = {kernel: means[kernel]["correlation"] for kernel in (best, other)}
    covered = {kernel: means[kernel]["coverage95"] for kernel in (best, other)}
    verdict = "is surer where it is right" if follows[best] > follows[other] else "does not point at its errors better"
    return (
        f"{capital(kernel_words(best))} {verdict}: errors and standard deviations correlate by {signed(follows[best])} "
        f"({signed(follows[other])}). Its 95 % intervals hold {percent(covered[best])} of the truth "
        f"({percent(covered[other])})."
    )


def _means(maps: Results) -> dict[str, dict[str, float]]:
    """Over seeds, by kernel."""
    kernels = list(dict.fromkeys(result.label("kernel") for result in maps))
    found = {}
    for kernel in kernels:
        rows = [final_scores(result, _SCORES) for result in maps if result.label("kernel") == kernel]
        found[kernel] = {score: sum(row[score] for row in rows) / len(rows) for score in _SCORES}
    return found
