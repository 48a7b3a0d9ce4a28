from dataclasses import replace

import numpy as np
import pytest

from akrig.plots.profile import has_profile, profile_attention_figure, profiles_figure
from tests.plots.records import along_a_line, barely_begun, without_truth


@pytest.fixture(scope="module")
def line(attentive):
    return along_a_line(attentive)


def lines(axis):
    return {drawn.get_label(): np.asarray(drawn.get_xydata()) for drawn in axis.lines}


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def titles(figure):
    return [axis.get_title(loc="left") for axis in figure.axes if axis.get_title(loc="left")]


def test_what_is_drawn_is_what_was_recorded(line):
    above, beneath = profiles_figure([line]).axes
    x = line.map["x"].to_numpy()
    for label, layer in {"truth": "truth", "prediction": "mean"}.items():
        np.testing.assert_array_equal(lines(above)[label], np.stack([x, line.map[layer].to_numpy()], axis=1))
    np.testing.assert_array_equal(lines(beneath)["absolute error"][:, 1], line.map["error"].to_numpy())
    band = beneath.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(2 * line.map["std"].to_numpy().max())
    readings = np.column_stack([line.samples.X, line.samples.y])
    np.testing.assert_array_equal(lines(above)["pilot readings"], readings[:40])
    np.testing.assert_array_equal(lines(above)["readings"], readings[40:])


def test_axes_name_quantity_units_and_kilometres(line):
    above, beneath = profiles_figure([line]).axes
    assert above.get_ylabel() == "elevation (m)"
    assert beneath.get_ylabel() == "error, 2 std (m)"
    assert beneath.get_xlabel() == "x (km)"
    assert beneath.get_xlim() == (0, 5000)


def test_without_a_truth_there_is_no_error(line):
    above, beneath = profiles_figure([without_truth(line)]).axes
    assert "truth" not in lines(above)
    assert legend(beneath) == ["two standard deviations"]


def test_compared_records_are_named_and_share_scales(line, rbf):
    other = along_a_line(rbf)
    axes = profiles_figure([line, other]).axes
    assert [axis.get_title(loc="left") for axis in axes] == [line.title, "", other.title, ""]
    assert axes[0].get_ylim() == axes[2].get_ylim()
    assert axes[1].get_ylim() == axes[3].get_ylim()


def test_attention_is_a_line_and_two_stacks(line):
    figure = profile_attention_figure(line)
    assert titles(figure) == ["Effective lengthscale", "Weights of each lengthscale", "Memberships"]
    lengthscale, weights, memberships = figure.axes[:3]
    np.testing.assert_array_equal(lengthscale.lines[0].get_ydata(), line.map["lengthscale"].to_numpy())
    assert len(weights.collections) == 3
    assert len(memberships.collections) == 2


def test_shared_weights_are_drawn_once(line):
    shared = line.map.drop_vars("memberships")
    shared["memberships"] = (("member", "x"), line.map["weights"].to_numpy())
    assert len(titles(profile_attention_figure(replace(line, map=shared)))) == 2


def test_a_lengthscale_without_weights_is_drawn_alone(line):
    gibbs = replace(line, map=line.map.drop_vars(["weights", "memberships", "base"]))
    assert titles(profile_attention_figure(gibbs)) == ["Effective lengthscale"]


def test_what_cannot_be_drawn_is_said(line, attentive, rbf):
    assert has_profile(line)
    assert not has_profile(attentive)
    assert not has_profile(barely_begun(line))
    with pytest.raises(ValueError, match=r"one dimension; .* has 2"):
        profiles_figure([attentive])
    with pytest.raises(ValueError, match="when the mission ends"):
        profiles_figure([barely_begun(line)])
    with pytest.raises(ValueError, match="alike everywhere"):
        profile_attention_figure(along_a_line(rbf))
