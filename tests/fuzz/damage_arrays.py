"""What can be wrong with arrays in files that are whole: their shapes, their kinds, their numbers, their names."""

import io
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.damage import bytes_of

SHAPES = ((), (0,), (3,), (0, 5), (1, 1), (2, 2), (7, 7), (6, 6), (5, 9), (2, 3, 4), (1, 400))
KINDS = ("f8", "f4", "i8", "u1", "c16", "U3", "?", "M8[s]")


def array(rng: Random) -> np.ndarray:
    shape, kind = rng.choice(SHAPES), rng.choice(KINDS)
    made = np.zeros(shape, dtype=kind)
    if made.dtype.kind == "f":
        made += rng.choice((0.0, np.nan, np.inf, 1e300, -5.0))
        if made.size and rng.random() < 0.5:
            made.flat[0] = rng.choice((1.0, np.nan, 1e308))
    return made


def npy_of(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.4:
        return bytes_of(data, rng)
    if rng.random() < 0.4:
        shape = rng.choice(("(1000000, 1000000)", "(-1, 5)", "(10**9,)", "(3.5,)", "()", "(12, 14, 1)", "'x'"))
        kind = rng.choice(("'<f4'", "'|O'", "'<f8'", "'V9'", "3", "[('a', '<f8')]"))
        text = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".encode()
        return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text + b"\n" + b"\0" * 700
    buffer = io.BytesIO()
    np.save(buffer, array(rng), allow_pickle=False)
    return buffer.getvalue()


def npz_of(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.4:
        return bytes_of(data, rng)
    with np.load(io.BytesIO(data)) as arrays:
        content = dict(arrays)
    for name in [*content][: rng.choice((1, 2))]:
        content[name] = array(rng)
    if rng.random() < 0.3:
        content.pop(rng.choice(list(content)))
    buffer = io.BytesIO()
    np.savez(buffer, **content)
    return buffer.getvalue()


def netcdf_of(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.4:
        return bytes_of(data, rng)
    import xarray as xr

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "map.nc"
        path.write_bytes(data)
        content = xr.load_dataset(path, engine="netcdf4")
        for _ in range(rng.choice((1, 3))):
            content = _otherwise(content, rng)
        for name in content.variables:
            content[name].encoding = {}
        path.unlink()
        content.to_netcdf(path, engine="netcdf4")
        return path.read_bytes()


def _otherwise(content: Any, rng: Random) -> Any:
    names = list(content.data_vars)
    kind = rng.randrange(6)
    if not names or kind == 0:
        return content.assign(other=("odd", np.zeros(3)))
    name = rng.choice(names)
    if kind == 1:
        return content.drop_vars(name)
    if kind == 2:
        factor = rng.choice((np.nan, np.inf, 1e300, 0.0))
        return content.assign({name: content[name] * factor}) if content[name].dtype.kind in "fiu" else content
    if kind == 3:
        odd = array(rng)
        odd = odd.astype("f8") if odd.dtype.kind in "c?M" else odd
        return content.assign({name: (tuple(f"{name}{k}" for k in range(odd.ndim)), odd)})
    if kind == 4:
        return content.assign_coords({dim: content[dim] * np.nan for dim in ("x", "y") if dim in content.coords})
    if not content.sizes:
        return content
    return content.isel({rng.choice(list(content.sizes)): slice(0, rng.choice((0, 1, 2)))})


def checkpoint_of(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.4:
        return bytes_of(data, rng)
    import torch

    content: Any = torch.load(io.BytesIO(data), weights_only=True)
    members = content.get("members") or [content]
    inside = [member[name] for member in members for name in ("module", "moments", "normalization")]
    section = rng.choice((content, *members, *inside, *filter(None, content.get("calibrations", []))))
    key = rng.choice(list(section))
    if rng.random() < 0.2:
        del section[key]
    else:
        section[key] = rng.choice(
            (None, 3, "x", float("nan"), {}, [], torch.zeros(3), torch.full((2, 2), float("nan")))
        )
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def geotiff_of(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.5:
        return bytes_of(data, rng)
    import rasterio

    numbers = (0.0, 1.0, -1.0, 1e-300, 1e300, 5.0, float("nan"))
    place = rasterio.Affine(*(rng.choice(numbers) for _ in range(6)))
    kind = rng.choice(("float32", "uint8", "int16", "complex64", "float64"))
    about = {
        "driver": "GTiff",
        "width": rng.choice((1, 2, 14)),
        "height": rng.choice((1, 2, 12)),
        "count": 1,
        "dtype": kind,
    }
    crs = rng.choice((None, "EPSG:4326", "EPSG:32632", "EPSG:4978", "EPSG:3855", 'LOCAL_CS["x"]'))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "a.tif"
        with rasterio.open(path, "w", **about, crs=crs, transform=place, nodata=rng.choice((None, 0))) as file:
            file.write(np.ones((about["height"], about["width"]), dtype=kind), 1)
        return path.read_bytes()


BY_KIND = {
    "npy": (npy_of,),
    "npz": (npz_of,),
    "netcdf": (netcdf_of,),
    "checkpoint": (checkpoint_of,),
    "geotiff": (geotiff_of,),
}
