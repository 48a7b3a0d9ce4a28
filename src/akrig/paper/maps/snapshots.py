"""The snapshots study's report: what each kernel knows after some hundred readings, and where it went for them."""

from pathlib import Path

import numpy as np

from akrig.paper.maps.figure import MAPS_CAPTION, final_maps_figure, final_scores, final_scores_table, groups_of
from akrig.paper.writing import add_figure, signed, write_csv, write_markdown, write_page
from akrig.plots import page
from akrig.plots.formatting import kernel_words, number, percent
from akrig.study.definition import Study
from akrig.study.results import Result, Results
from akrig.words import capital, joined, span

_SCORES = ("rmse", "mae", "smse", "msll", "nlpd", "coverage95", "correlation")
_NOTE = (
    "Of the final map. \u201cReadings in the rough half\u201d is the share of readings taken where the field varies "
    "more than it does at half of all places: 50 % is no preference."
)


def write_snapshots(study: Study, results: Results, folder: Path) -> list[str]:
    """Tables, a figure for every field, strategy and seed, and the page; returns what to say in the terminal."""
    maps = Results([result for result in results if "mean" in result.data and result.data["mean"].ndim == 2])
    groups = groups_of(maps)
    sentences = [sentence for members in groups.values() for sentence in _sentences(members)]
    table = final_scores_table(
        maps, _SCORES, more={"Readings in the rough half": lambda result: percent(rough_share(result))}
    )
    names = ["field", "strategy", "kernel", "seed"]
    rows = [
        [
            *(result.labels.get(name, _base(study, name)) for name in names),
            *final_scores(result, _SCORES).values(),
            rough_share(result),
            int(result.data.sizes["reading"]),
        ]
        for result in maps
    ]
    write_csv(folder, "snapshots", [*names, *_SCORES, "readings_in_rough_half", "readings"], rows)
    write_markdown(folder, "snapshots", [f"# {study.title}", *sentences, _NOTE, table])
    figures = [_figure(title, members, folder, study) for title, members in groups.items()]
    parts = [
        page.paragraph(" ".join(sentences) or "There is no map yet.", kind="lead"),
        page.section("Maps", figures),
        page.section("Scores", [page.paragraph(_NOTE), page.study_table(table)] if len(maps) else []),
    ]
    return [*sentences, write_page(study, results, folder, parts)]


def _base(study: Study, name: str) -> str:
    value = study.base.get(name, "")
    return str(value.get("name", "")) if isinstance(value, dict) else str(value)


def _figure(title: str, members: Results, folder: Path, study: Study) -> str:
    what = ", ".join(filter(None, [_base(study, "field"), _base(study, "strategy"), title]))
    name = "snapshots-" + "-".join(title.replace(",", "").split())
    caption = f"{capital(what)}. {MAPS_CAPTION}"
    return add_figure(folder, name, final_maps_figure(members), alt=f"Maps: {what}", caption=caption)


def roughness(truth: np.ndarray) -> np.ndarray:
    """Size of the slope between neighbouring cells, over a few of them: where a field is busy."""
    dy, dx = np.gradient(truth)
    steep = np.hypot(dx, dy)
    half = max(min(truth.shape) // 20, 1)
    padded = np.pad(steep, half, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * half + 1, 2 * half + 1))
    return windows.mean(axis=(2, 3))


def rough_share(result: Result) -> float:
    """The share of readings in the rougher half of the map."""
    data = result.data
    rough = roughness(data["truth"].transpose("y", "x").to_numpy().astype(np.float64))
    X = data["reading_x"].to_numpy()
    columns = np.abs(data["x"].to_numpy()[None] - X[:, :1]).argmin(axis=1)
    rows = np.abs(data["y"].to_numpy()[None] - X[:, 1:2]).argmin(axis=1)
    return float(np.mean(rough[rows, columns] > np.nanmedian(rough)))


def _sentences(members: Results) -> list[str]:
    """What the paper observes in its snapshots, as far as numbers can say it."""
    scores = {result.label("kernel"): final_scores(result, _SCORES) for result in members}
    if len(scores) < 2:
        return []
    counts = sorted({int(result.data.sizes["reading"]) for result in members})
    readings = span(f"{counts[0]}", f"{counts[-1]}")
    order = sorted(scores, key=lambda kernel: scores[kernel]["rmse"])
    errors = joined([f"{kernel} {number(scores[kernel]['rmse'])}" for kernel in order])
    follows = sorted(scores, key=lambda kernel: -scores[kernel]["correlation"])
    correlations = joined([f"{kernel} {signed(scores[kernel]['correlation'])}" for kernel in follows])
    shares = {result.label("kernel"): rough_share(result) for result in members}
    places = joined([f"{kernel} {percent(shares[kernel])}" for kernel in sorted(shares, key=lambda k: -shares[k])])
    return [
        f"After {readings} readings, {kernel_words(order[0])} has the smallest typical error (RMSE: {errors}).",
        f"Errors lie where the map is unsure most with {kernel_words(follows[0])} (correlation: {correlations}).",
        f"Of the readings, this many lie in the rougher half of the field: {places}.",
    ]
