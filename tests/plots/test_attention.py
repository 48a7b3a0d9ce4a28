from dataclasses import replace

import numpy as np
import pytest

from akrig.plots.attention import attention_figure, has_attention, lengthscale_text
from tests.plots.records import LENGTHSCALES


def titles(figure):
    return [axis.get_title(loc="left") for axis in figure.axes if axis.get_title(loc="left")]


def headings(figure):
    return [part.get_suptitle() for part in figure.subfigs[1:]]


def test_every_weight_and_membership_has_its_map(attentive):
    figure = attention_figure(attentive)
    assert titles(figure)[:3] == ["Truth", "Effective lengthscale", "Dominant lengthscale"]
    assert titles(figure)[3:] == ["150 m", "400 m", "1 km", "member 1", "member 2"]
    weights = [axis.images[0] for axis in figure.subfigs[1].axes if axis.get_title(loc="left")]
    np.testing.assert_allclose([image.get_array() for image in weights], attentive.map["weights"].to_numpy())
    assert len({image.get_clim() for image in weights}) == 1


def test_a_lengthscale_has_one_shade_in_both_panels(attentive):
    _, effective, dominant = (axis.images[0] for axis in attention_figure(attentive).subfigs[0].axes[:3])
    for place, lengthscale in enumerate(LENGTHSCALES):
        np.testing.assert_allclose(
            effective.cmap(effective.norm(lengthscale)), dominant.cmap(dominant.norm(place)), atol=0.01
        )


def test_shared_weights_are_drawn_once(attentive):
    shared = attentive.map.drop_vars("memberships")
    shared["memberships"] = (("member", "y", "x"), attentive.map["weights"].to_numpy())
    figure = attention_figure(replace(attentive, map=shared))
    assert len(headings(figure)) == 1
    assert "one network serves both" in headings(figure)[0]


def test_a_lengthscale_without_weights_is_drawn_alone(attentive):
    gibbs = replace(attentive, map=attentive.map.drop_vars(["weights", "memberships", "base"]))
    figure = attention_figure(gibbs)
    assert titles(figure) == ["Truth", "Effective lengthscale"]
    assert not headings(figure)


def test_kernels_that_are_alike_everywhere_have_none(attentive, rbf):
    assert has_attention(attentive)
    assert not has_attention(rbf)
    assert not has_attention(replace(attentive, map=None))
    with pytest.raises(ValueError, match="alike everywhere"):
        attention_figure(rbf)


def test_lengthscales_read_without_exponents():
    assert [lengthscale_text(value) for value in (0.05, 12.34, 999.0, 1234.0)] == [
        "0.05 m",
        "12.3 m",
        "999 m",
        "1.23 km",
    ]
