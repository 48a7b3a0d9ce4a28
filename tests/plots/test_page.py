from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from akrig.plots import page
from akrig.plots.save import compact, png_bytes
from akrig.plots.style import READING


def test_all_text_is_escaped():
    evil = '<b onclick="x">&'
    pieces = [
        page.header(eyebrow=evil, title=evil, facts=[evil]),
        page.notice(evil),
        page.paragraph(evil),
        page.section(evil, ["body"]),
        page.tiles([(evil, evil, evil)]),
        page.metrics_table([evil], [(evil, evil, [evil], {0})]),
        page.settings_table({evil: evil}),
        page.details(evil, ["body"]),
        page.code(evil),
    ]
    assert all("<b onclick" not in piece and "&lt;b onclick=&#34;x&#34;&gt;&amp;" in piece for piece in pieces)


def test_sections_and_details_without_content_vanish():
    assert page.section("Empty", ["", ""]) == ""
    assert page.details("Empty", []) == ""


def test_settings_are_flattened_to_dotted_names():
    settings = {"seed": 0, "kernel": {"name": "rbf", "options": {}, "deep": {"on": True, "l": [0.1, 0.25]}}}
    assert page.flattened(settings) == {
        "seed": 0,
        "kernel.name": "rbf",
        "kernel.deep.on": True,
        "kernel.deep.l": [0.1, 0.25],
    }
    table = page.settings_table(settings)
    assert "<td>yes</td>" in table
    assert "<td>0.1, 0.25</td>" in table


def test_the_best_is_bold():
    table = page.metrics_table(["a", "b"], [("RMSE", "error", ["1", "2"], {0})])
    assert "<td><b>1</b></td><td>2</td>" in table


def test_a_compact_picture_is_smaller_and_keeps_white_and_small_marks():
    figure = plt.figure(figsize=(4, 3))
    axis = figure.subplots()
    axis.imshow(np.random.default_rng(0).random((60, 80)))
    axis.plot([40], [30], "o", color=READING, markersize=9)
    png = png_bytes(figure, dpi=100)
    small = compact(png, max_bytes=0)
    assert compact(png, max_bytes=len(png)) is png
    assert len(small) < len(png)
    before, after = (np.asarray(Image.open(BytesIO(data)).convert("RGB")).astype(int) for data in (png, small))
    assert tuple(after[0, 0]) == (255, 255, 255)
    assert np.abs(before - after).mean() < 4
    mark = tuple(int(READING[i : i + 2], 16) for i in (1, 3, 5))
    assert (after.reshape(-1, 3) == mark).all(axis=1).any()
