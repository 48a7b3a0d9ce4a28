import re
from pathlib import Path

import numpy as np
import pytest

import akrig
from akrig.randomness import PURPOSES, Randomness


def test_every_purpose_epoch_and_seed_has_numbers_of_its_own():
    draws = {
        (seed, purpose, epoch): Randomness(seed).generator(purpose, epoch).random()
        for seed in (0, 1)
        for purpose in PURPOSES
        for epoch in (0, 1, 2)
    }
    assert len(set(draws.values())) == len(draws)


def test_the_same_again():
    a, b = (Randomness(3).generator("sensor", 7).random(5) for _ in range(2))
    assert np.array_equal(a, b)
    assert Randomness(3).integer("network") == Randomness(3).integer("network") != Randomness(4).integer("network")


def test_randomness_comes_from_here_or_has_a_seed_of_its_own():
    """Those that the module names, and nobody else."""
    own = ("fields/terrain.py", "study/regression/", "survey/logs/log.py", "survey/boat/", "testing/", "randomness.py")
    makes = re.compile(
        r"default_rng|RandomState|manual_seed|random\.(seed|Random)\b|np\.random\.(?!Generator|default_rng)"
    )
    sources = Path(akrig.__file__).parent
    found = [path.relative_to(sources).as_posix() for path in sources.rglob("*.py") if makes.search(path.read_text())]
    kernels = "config/build.py"  # hands torch a seed that it was given
    assert [name for name in found if not name.startswith(own) and name != kernels] == []


def test_a_seed_is_not_negative():
    with pytest.raises(ValueError, match="zero or more"):
        Randomness(-1)
