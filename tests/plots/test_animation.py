from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from akrig.geometry import Box
from akrig.plots.animation import _evenly, _show, _stage, animation_bytes, has_animation, save_animation
from akrig.plots.style import style
from tests.plots.records import barely_begun


def frames_of(content):
    with Image.open(BytesIO(content)) as film:
        return film.n_frames, film.size


def test_there_is_a_frame_per_snapshot(attentive, tmp_path):
    path = tmp_path / "mission.gif"
    save_animation(attentive, path, width=400)
    num_frames, (width, _) = frames_of(path.read_bytes())
    assert num_frames == len(attentive.snapshots) == 6
    assert width == 400
    assert list(tmp_path.iterdir()) == [path]


def test_many_snapshots_are_thinned_evenly(attentive):
    assert frames_of(animation_bytes(attentive, width=300, max_frames=4))[0] == 4
    assert _evenly(list(range(10)), 4) == [0, 3, 6, 9]


def test_a_film_is_shortened_until_it_is_small_enough(attentive):
    whole = animation_bytes(attentive, width=300)
    small = animation_bytes(attentive, width=300, max_bytes=len(whole) * 2 // 3)
    assert len(small) <= len(whole) * 2 // 3
    assert 2 <= frames_of(small)[0] < 6


def test_a_frame_shows_the_readings_so_far(attentive):
    snapshot = attentive.snapshots[2]
    with style():
        stage = _stage(attentive, 400)
        _show(stage, attentive, snapshot)
    X = attentive.samples.X
    np.testing.assert_array_equal(stage.path.get_xydata(), X[: snapshot.readings])
    np.testing.assert_array_equal(stage.pilot.get_xydata(), X[:40])
    np.testing.assert_array_equal(stage.readings.get_xydata(), X[40 : snapshot.readings])
    np.testing.assert_array_equal(stage.mean.get_array(), snapshot.mean)
    np.testing.assert_array_equal(stage.doubt.get_array(), snapshot.std)
    assert stage.counter.get_text() == f"{snapshot.readings} readings"


def test_colours_mean_the_same_in_every_frame(attentive):
    """And begin with none, as on the page and in the maps."""
    with style():
        stage = _stage(attentive, 400)
        assert stage.doubt.get_clim()[0] == 0
        before = stage.mean.get_clim(), stage.doubt.get_clim()
        for snapshot in attentive.snapshots:
            _show(stage, attentive, snapshot)
        assert (stage.mean.get_clim(), stage.doubt.get_clim()) == before


def test_the_frames_differ_and_the_last_stays_longest(attentive):
    with Image.open(BytesIO(animation_bytes(attentive, width=300))) as film:
        pictures, durations = [], []
        for place in range(film.n_frames):
            film.seek(place)
            pictures.append(film.convert("RGB").tobytes())
            durations.append(film.info["duration"])
    assert len(set(pictures)) == len(pictures)
    assert durations[-1] > 10 * durations[0]


def test_nothing_moves_without_snapshots(attentive):
    assert has_animation(attentive)
    assert not has_animation(replace(attentive, snapshots=attentive.snapshots[:1]))
    assert not has_animation(replace(attentive, workspace=Box((0.0,), (5000.0,))))
    with pytest.raises(ValueError, match="no snapshots"):
        animation_bytes(barely_begun(attentive))
