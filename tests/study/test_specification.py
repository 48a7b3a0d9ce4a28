"""Names of runs follow from their content."""

from hypothesis import given
from hypothesis import strategies as st

from akrig.study.specification import Specification, family_of

SETTINGS = {"preset": "paper", "kernel": {"name": "rbf", "lengthscale": 0.5}, "seed": 3}
VALUES = st.recursive(
    st.integers() | st.text(max_size=5) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def test_the_name_is_that_of_earlier_versions():
    """Were it to change, nobody's results would be found again: then FORMAT must change too."""
    assert Specification("mission", SETTINGS, {}).name == "b1c43a0487086111"


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_the_order_of_settings_does_not_matter(settings):
    turned = dict(reversed(settings.items()))
    assert Specification("mission", settings, {}).name == Specification("mission", turned, {}).name


def test_labels_are_not_part_of_the_name():
    assert Specification("mission", SETTINGS, {"kernel": "RBF"}).name == Specification("mission", SETTINGS, {}).name


def test_content_and_kind_are():
    names = {
        Specification("mission", SETTINGS, {}).name,
        Specification("regression", SETTINGS, {}).name,
        Specification("mission", {**SETTINGS, "kernel": {"name": "rbf"}}, {}).name,
    }
    assert len(names) == 3


def test_a_family_differs_in_seeds_only():
    other = Specification("mission", {**SETTINGS, "seed": 4}, {})
    first = Specification("mission", SETTINGS, {})
    assert first.family == other.family == family_of("mission", SETTINGS)
    assert first.name != other.name


def test_the_title_is_for_people():
    assert Specification("mission", SETTINGS, {"kernel": "RBF", "seed": "3"}).title == "kernel=RBF, seed=3"
