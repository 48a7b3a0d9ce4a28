"""A map that names other files is not read, nor they."""

import ctypes
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr

from akrig.errors import RunFolderError
from akrig.journal.folder import RunFolder
from akrig.journal.hdf5_references import check_self_contained
from akrig.journal.surfaces import read_map
from akrig.live.model_worker import read_final_map

SECRET = b"A letter to read."


class Hdf5:
    """The library that netCDF4 brings along, in as few words as files that refer to others need."""

    DATASET, FILE = "H5P_CLS_DATASET_CREATE_ID_g", "H5P_CLS_FILE_ACCESS_ID_g"

    def __init__(self) -> None:
        names = {
            line.split()[-1]
            for line in Path("/proc/self/maps").read_text().splitlines()
            if "libhdf5-" in line and "netcdf4" in line
        }
        if not names:
            pytest.skip("netCDF4 was built with an HDF5 elsewhere")
        self._library = ctypes.CDLL(names.pop())
        self("H5open")

    def __call__(self, name: str, *arguments: object) -> int:
        function = getattr(self._library, name)
        function.restype = ctypes.c_int64
        done = function(*(ctypes.c_int64(a) if isinstance(a, int) else a for a in arguments))
        assert done >= 0, name
        return done

    def known(self, name: str) -> int:
        return ctypes.c_int64.in_dll(self._library, name).value

    def create(self, path: Path) -> int:
        access = self("H5Pcreate", self.known(self.FILE))
        self("H5Pset_libver_bounds", access, 1, 2)  # as netCDF does
        return self("H5Fcreate", str(path).encode(), 2, 0, access)

    def group(self, file: int, name: str) -> None:
        self("H5Gclose", self("H5Gcreate2", file, name.encode(), 0, 0, 0))

    def line(self) -> int:
        return self("H5Screate_simple", 1, (ctypes.c_uint64 * 1)(len(SECRET)), None)

    def dataset(self, file: int, how: int) -> None:
        kind = self.known("H5T_STD_U8LE_g")
        self("H5Dclose", self("H5Dcreate2", file, b"mean", kind, self.line(), 0, how, 0))


def _elsewhere(hdf5: Hdf5, path: Path, secret: Path) -> None:
    how = hdf5("H5Pcreate", hdf5.known(Hdf5.DATASET))
    hdf5("H5Pset_external", how, str(secret).encode(), 0, len(SECRET))
    file = hdf5.create(path)
    hdf5.dataset(file, how)
    hdf5("H5Fclose", file)


def _other(hdf5: Hdf5, path: Path) -> Path:
    """An HDF5 file to refer to."""
    other = path.with_name("other.nc")
    with netCDF4.Dataset(other, "w") as content:
        content.createDimension("n", len(SECRET))
        content.createVariable("mean", "u1", ("n",))[:] = np.frombuffer(SECRET, np.uint8)
    return other


def _linked(hdf5: Hdf5, path: Path, secret: Path) -> None:
    other, file = _other(hdf5, secret), hdf5.create(path)
    hdf5("H5Lcreate_external", str(other).encode(), b"/mean", file, b"mean", 0, 0)
    hdf5("H5Fclose", file)


def _linked_among_many(hdf5: Hdf5, path: Path, secret: Path) -> None:
    """More links than fit into a group's header are in a heap."""
    other, file = _other(hdf5, secret), hdf5.create(path)
    for k in range(40):
        target = str(other).encode()
        hdf5("H5Lcreate_external", target, b"/mean", file, b"mean", 0, 0) if k == 30 else hdf5.group(file, f"g{k}")
    hdf5("H5Fclose", file)


def _linked_deeper(hdf5: Hdf5, path: Path, secret: Path) -> None:
    other, file = _other(hdf5, secret), hdf5.create(path)
    for k in range(40):
        hdf5.group(file, f"g{k}")
    hdf5("H5Lcreate_external", str(other).encode(), b"/mean", file, b"g35/mean", 0, 0)
    hdf5("H5Fclose", file)


def _virtual(hdf5: Hdf5, path: Path, secret: Path) -> None:
    other, how = _other(hdf5, secret), hdf5("H5Pcreate", hdf5.known(Hdf5.DATASET))
    hdf5("H5Pset_virtual", how, hdf5.line(), str(other).encode(), b"/mean", hdf5.line())
    access = hdf5("H5Pcreate", hdf5.known(Hdf5.FILE))
    hdf5("H5Pset_libver_bounds", access, 2, 3)
    file = hdf5("H5Fcreate", str(path).encode(), 2, 0, access)
    hdf5.dataset(file, how)
    hdf5("H5Fclose", file)


@pytest.mark.parametrize("refer", [_elsewhere, _linked, _linked_among_many, _linked_deeper, _virtual])
def test_a_map_that_refers_to_other_files_is_refused(tmp_path, refer):
    run, secret = tmp_path / "run", tmp_path / "secret"
    run.mkdir()
    secret.write_bytes(SECRET)
    refer(Hdf5(), run / "map.nc", secret)
    if refer in (_elsewhere, _virtual):  # with links netCDF fails, after it has opened what it names
        with netCDF4.Dataset(run / "map.nc") as content:
            assert bytes(content["mean"][:].data) == SECRET
    with pytest.raises(RunFolderError, match="refers to other files"):
        read_map(RunFolder(run), dim=2)
    with pytest.raises(ValueError, match="refers to other files"):
        read_final_map(run / "map.nc")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("num_layers", [3, 30])
def test_a_map_of_any_numbers_is_read(tmp_path, seed, num_layers):
    """Such as depths of two to four metres, with nothing outside the fence: their bytes look like links."""
    rng = np.random.default_rng(seed)
    numbers = np.where(rng.random((40, 50)) < 0.3, np.nan, rng.uniform(2, 4, (40, 50)))
    names = ["mean", "std", *(f"layer{k}" for k in range(2, num_layers))]
    layers = dict.fromkeys(names, (("y", "x"), numbers))
    axes = {"x": np.arange(50.0), "y": np.arange(40.0)}
    xr.Dataset(layers, axes).to_netcdf(tmp_path / "map.nc", engine="netcdf4")
    check_self_contained(tmp_path / "map.nc")
    found = read_map(RunFolder(tmp_path), dim=2)
    assert found is not None
    assert np.array_equal(found["mean"], numbers, equal_nan=True)


def test_what_is_no_netcdf_is_refused(tmp_path):
    (tmp_path / "map.nc").write_bytes(b"\0" * 600 + b"\x89HDF\r\n\x1a\n\x02\x08")
    with pytest.raises(RunFolderError, match="no netCDF file"):
        read_map(RunFolder(tmp_path), dim=2)
