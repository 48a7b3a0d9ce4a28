import numpy as np
import pytest

from akrig.fields import TERRAINS, GridField
from akrig.fields.terrain import halves, islands, lake, ridges, river
from akrig.geometry import Box

SEEDS = range(6)
terrains = pytest.mark.parametrize("name", sorted(TERRAINS))
seeds = pytest.mark.parametrize("seed", SEEDS)


def slope(field: GridField) -> np.ndarray:
    return np.hypot(*np.gradient(field.values, *field.cell_size[::-1]))


def roughness(field: GridField) -> np.ndarray:
    """How far a cell is from the mean of its four neighbours; cells without four are left out."""
    h = field.values
    return np.abs(h[1:-1, 1:-1] - (h[2:, 1:-1] + h[:-2, 1:-1] + h[1:-1, 2:] + h[1:-1, :-2]) / 4)


def near(mask: np.ndarray, cells: int) -> np.ndarray:
    """The mask grown by this many cells."""
    grown = np.pad(mask, cells)
    shifts = range(-cells, cells + 1)
    grown = np.any([np.roll(grown, s, axis=0) for s in shifts], axis=0)
    grown = np.any([np.roll(grown, s, axis=1) for s in shifts], axis=0)
    return grown[cells:-cells, cells:-cells]


def test_there_are_at_least_four():
    assert {"ridges", "lake", "river", "halves"} <= set(TERRAINS)


@terrains
@seeds
def test_is_finite_believable_ground(name, seed):
    field = TERRAINS[name](seed)
    assert field.shape == (256, 256)
    assert field.extent == Box((0, 0), (1000, 1000))
    assert (field.units, field.name) == ("m", name)
    assert np.isfinite(field.values).all()
    assert 20 < np.ptp(field.values) < 400
    assert slope(field).max() < 8  # cliffs, but no towers


@terrains
def test_the_seed_decides_every_bit(name):
    make = TERRAINS[name]
    np.testing.assert_array_equal(make(3).values, make(3).values)
    fields = [make(seed, cells=64).values for seed in SEEDS]
    assert all(np.abs(a - b).mean() > 0.5 for i, a in enumerate(fields) for b in fields[:i])


@terrains
def test_more_cells_show_the_same_land(name):
    fine, coarse = TERRAINS[name](2, cells=256).downsampled(4).values, TERRAINS[name](2, cells=64).values
    assert np.corrcoef(fine.ravel(), coarse.ravel())[0, 1] > 0.995


@terrains
def test_the_extent_only_places_it(name):
    here, there = TERRAINS[name](1, cells=32), TERRAINS[name](1, cells=32, extent=Box((-5, 0), (5, 20)))
    assert there.extent == Box((-5, 0), (5, 20))
    np.testing.assert_array_equal(here.values, there.values)


@terrains
def test_one_cell_is_no_terrain(name):
    with pytest.raises(ValueError, match="at least 2 cells along each side; got 1"):
        TERRAINS[name](cells=1)


@seeds
def test_ridges_have_a_plain_and_far_rougher_mountains(seed):
    field = ridges(seed)
    rough = roughness(field)
    plain, mountains = rough[:70, :70], rough[-128:, -128:]
    assert mountains.mean() > 20 * plain.mean()
    assert np.std(field.values[-128:, -128:]) > 5 * np.std(field.values[:70, :70])
    # Creases: a few cells are far sharper than the rest, as in no Gaussian landscape.
    assert np.quantile(mountains, 0.99) > 5 * np.median(mountains)


@seeds
def test_the_lake_is_steepest_at_its_shore(seed):
    field = lake(seed)
    under = field.values < 0
    shore = near(under, 1) & near(~under, 1)
    steep = slope(field)
    away = ~near(shore, 8)
    assert 0.05 < under.mean() < 0.5
    assert near(shore, 3)[np.unravel_index(steep.argmax(), steep.shape)]
    assert np.median(steep[shore]) > 4 * np.median(steep[under & away])
    assert np.median(steep[shore]) > 10 * np.median(steep[~under & away])
    assert np.median(roughness(field)[(under & away)[1:-1, 1:-1]]) < 0.05


@seeds
def test_the_river_is_cut_into_the_hills_from_side_to_side(seed):
    field = river(seed)
    lowest = field.values.argmin(axis=0)
    assert (np.abs(np.diff(lowest)) < 40).all()  # one connected line, west to east
    assert np.ptp(lowest) > 15  # that meanders
    bed = field.values[lowest, np.arange(256)]
    assert (np.diff(np.convolve(bed, np.ones(32) / 32, "valid")) < 0.05).all()  # and flows down
    channel = np.zeros(field.shape, dtype=bool)
    channel[lowest, np.arange(256)] = True
    bank, hills = near(channel, 6), ~near(channel, 40)
    assert np.quantile(slope(field)[bank], 0.9) > 2.5 * np.median(slope(field)[hills])
    assert np.quantile(roughness(field)[bank[1:-1, 1:-1]], 0.9) > 4 * np.median(roughness(field)[hills[1:-1, 1:-1]])


@seeds
def test_halves_differ_in_roughness_and_in_height(seed):
    field = halves(seed)
    rough = roughness(field)
    west, east = slice(0, 80), slice(-80, None)
    assert np.median(rough[:, east]) > 10 * np.median(rough[:, west])
    assert np.std(field.values[:, east]) > 4 * np.std(field.values[:, west])
    steepest_step = np.abs(np.diff(field.values, axis=1)).argmax(axis=1)
    assert (np.abs(steepest_step - 128) < 50).mean() > 0.5  # the fault
    assert np.median(field.values[:, east]) > np.median(field.values[:, west]) + 10


@seeds
def test_islands_are_rough_patches_in_a_smooth_sea(seed):
    field = islands(seed)
    land = field.values > 0
    deep = ~near(land, 10)
    assert 0.03 < land.mean() < 0.6
    rough = roughness(field)
    assert np.median(rough[land[1:-1, 1:-1]]) > 10 * np.median(rough[deep[1:-1, 1:-1]])
