import numpy as np
import pytest

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


def test_a_seed_is_not_negative():
    with pytest.raises(ValueError, match="zero or more"):
        Randomness(-1)
