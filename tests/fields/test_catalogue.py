import hashlib
import os
import socket
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from akrig.errors import AkrigError
from akrig.fields import CATALOGUE, TERRAINS, DownloadFailed, InvalidField, UnknownField, load_field
from akrig.fields.catalogue import cache_folder, describe, fetch, find_entry, find_file
from akrig.geometry import Box

TILES = ("N17E073", "N43W080", "N45W123", "N47W124")
needs_data = pytest.mark.skipif(
    "AKRIG_DATA" not in os.environ, reason="AKRIG_DATA is not set: no data of the paper here"
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A machine without the paper's data, whose cache is empty."""
    monkeypatch.delenv("AKRIG_DATA", raising=False)
    monkeypatch.delenv("AKRIG_MIRROR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache" / "akrig" / "fields"


@pytest.fixture
def entry(tmp_path, rng, monkeypatch):
    """N17E073 with a small file of its own: `payload` beside the cache."""
    np.save(tmp_path / "payload.npy", rng.normal(size=(200, 200)))
    payload = (tmp_path / "payload.npy").read_bytes()
    entry = replace(CATALOGUE["N17E073"], sha256=hashlib.sha256(payload).hexdigest())
    monkeypatch.setitem(CATALOGUE, "N17E073", entry)
    return entry


@pytest.fixture
def server(tmp_path, entry):
    """Serves the payload at /good, and worse at other addresses."""
    payload = (tmp_path / "payload.npy").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            folder = self.path.rsplit("/", 1)[0]
            if folder not in ("/good", "/cut", "/wrong", "/unsized"):
                return self.send_error(404)
            self.send_response(200)
            if folder != "/unsized":
                self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            body = {"/cut": payload[: len(payload) // 2], "/wrong": payload[::-1], "/unsized": payload[:-9]}
            self.wfile.write(body.get(folder, payload))
            return None

        def log_message(self, format, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_holds_all_terrains_both_samples_and_the_papers_fields():
    assert set(CATALOGUE) == {*TERRAINS, "jacksboro", "topobathy", *TILES, "helens"}
    for name in (*TILES, "helens"):
        entry = CATALOGUE[name]
        assert entry.url is not None
        assert entry.url.startswith("https://raw.githubusercontent.com/Weizhe-Chen/attentive_kernels/1ccb7255")
        assert entry.url.endswith(f"/preprocessed/{name}.npy")
        assert len(entry.sha256 or "") == 64


def test_the_table_agrees_with_the_fields():
    rows = {row["name"]: row for row in describe()}
    assert list(rows) == list(CATALOGUE)
    for name in (*TERRAINS, "jacksboro", "topobathy"):
        field = load_field(name)
        row = rows[name]
        shape = " x ".join(map(str, field.shape))
        assert (row["cells"], row["extent"], row["units"]) == (shape, str(field.extent), field.units)
        assert row["available"]
    assert all(row["description"] and row["kind"] in ("procedural", "bundled", "data") for row in rows.values())
    assert (rows["N17E073"]["units"], rows["N17E073"]["extent"]) == ("grey level", "(-11, -11) to (11, 11)")


@pytest.mark.usefixtures("cache")
def test_the_table_shows_what_is_not_here():
    assert not any(row["available"] for row in describe() if row["kind"] == "data")


def test_a_terrain_has_a_seed():
    np.testing.assert_array_equal(load_field("lake", seed=3).values, TERRAINS["lake"](3).values)


def test_a_field_is_placed_then_cropped_then_downsampled():
    field = load_field(
        "ridges", extent=Box((0, 0), (256, 256)), crop=Box((64, 0), (128, 128)), downsample=4, interpolation="nearest"
    )
    assert (field.extent, field.shape, field.interpolation) == (Box((64, 0), (128, 128)), (32, 16), "nearest")
    expected = TERRAINS["ridges"]().values[:128, 64:128].reshape(32, 4, 16, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(field.values, expected)


@needs_data
@pytest.mark.parametrize("name", TILES)
def test_the_papers_tiles_are_read_as_the_authors_did(name, rng):
    field = load_field(name)
    assert (field.extent, field.shape) == (Box((-11, -11), (11, 11)), (360, 360))
    assert (field.interpolation, field.quantity, field.units, field.name) == ("nearest", "grey level", "", name)
    X = rng.uniform(-11, 11, (1000, 2))
    cell = 22 / 360 + 1e-4
    cols, rows = ((X + 11) / cell).astype(int).T
    np.testing.assert_array_equal(field(X), np.load(find_file(CATALOGUE[name]))[rows, cols])
    assert load_field(name, interpolation="bilinear").cell_margin == 0


@needs_data
def test_helens_is_in_feet_on_the_unit_square():
    field = load_field("helens")
    assert (field.extent, field.shape, field.units) == (Box((0, 0), (1, 1)), (100, 100), "ft")
    folder = os.environ["AKRIG_DATA"] + "/fields/"
    X, y = (np.loadtxt(f"{folder}helens_{which}_train.csv", delimiter=",") for which in "xy")
    np.testing.assert_array_equal(field(X), y)


def test_a_path_is_read_as_a_raster(tmp_path, monkeypatch, rng):
    np.save(tmp_path / "mine.npy", rng.normal(size=(8, 8)))
    options = {"crop": Box((0, 0), (4, 8)), "downsample": 2, "interpolation": "nearest"}
    field = load_field(str(tmp_path / "mine.npy"), **options)
    assert (field.shape, field.interpolation) == ((4, 2), "nearest")
    monkeypatch.chdir(tmp_path)
    assert load_field("mine.npy", extent=Box((0, 0), (1, 1))).extent == Box((0, 0), (1, 1))
    with pytest.raises(InvalidField, match="no suffix of a raster"):
        load_field("./mine")
    with pytest.raises(FileNotFoundError, match=r"no file other\.tif"):
        load_field("other.tif")


@pytest.mark.parametrize(("name", "near"), [("jacksborro", "jacksboro"), ("n17e073", "N17E073"), ("Lake", "lake")])
def test_an_unknown_name_gets_the_nearest_one(name, near):
    with pytest.raises(UnknownField) as caught:
        load_field(name)
    expected = f"There is no field {name} (did you mean {near}?): see `akrig fields`, or give the path of a raster."
    assert str(caught.value) == expected
    assert isinstance(caught.value, AkrigError)


def test_an_entry_is_found_by_its_name():
    assert find_entry("helens") is CATALOGUE["helens"]
    with pytest.raises(UnknownField, match="did you mean helens"):
        find_entry("helen")


def test_a_name_like_no_other_gets_the_list():
    with pytest.raises(UnknownField, match="There is no field xyzzy: see `akrig fields`"):
        load_field("xyzzy")


@pytest.mark.usefixtures("cache")
def test_data_that_are_not_here_say_how_to_get_them():
    with pytest.raises(UnknownField) as caught:
        load_field("N17E073")
    assert str(caught.value) == (
        "N17E073 is not on this machine: set AKRIG_DATA, or fetch it with `akrig fields --fetch N17E073`."
    )


def test_a_file_is_looked_for_in_the_data_folder_then_in_the_cache(tmp_path, cache, entry, monkeypatch):
    assert find_file(entry) is None
    cache.mkdir(parents=True)
    (cache / "N17E073.npy").write_bytes(b"")
    assert find_file(entry) == cache / "N17E073.npy"
    monkeypatch.setenv("AKRIG_DATA", str(tmp_path))
    assert find_file(entry) == cache / "N17E073.npy"
    (tmp_path / "fields").mkdir()
    (tmp_path / "fields" / "N17E073.npy").write_bytes(b"")
    assert find_file(entry) == tmp_path / "fields" / "N17E073.npy"


def test_without_xdg_the_cache_is_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "akrig" / "fields"


def test_without_a_home_folder_the_cache_is_among_temporary_files(tmp_path, monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    for name in ("XDG_CACHE_HOME", "HOME", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_folder() == tmp_path / "akrig" / "fields"
    assert len(describe()) == len(CATALOGUE)


@pytest.mark.usefixtures("cache")
def test_a_damaged_file_is_named(tmp_path, monkeypatch):
    (tmp_path / "fields").mkdir()
    np.save(tmp_path / "fields" / "helens.npy", np.eye(100))
    monkeypatch.setenv("AKRIG_DATA", str(tmp_path))
    with pytest.raises(
        InvalidField, match=r"fields/helens\.npy is damaged: its SHA-256 is not that of helens; delete it"
    ):
        load_field("helens")
    with (tmp_path / "fields" / "helens.npy").open("r+b") as file:
        file.truncate(20_000_000_000)  # of zeros: its checksum would take a minute
    with pytest.raises(OSError, match=r"helens\.npy has 20000000000 bytes; akrig reads at most"):
        load_field("helens")


# Downloads


def test_a_download_is_checked_and_kept(tmp_path, cache, entry, server):
    path = fetch(entry, base_url=f"{server}/good/")
    assert path == cache / "N17E073.npy"
    assert path.read_bytes() == (tmp_path / "payload.npy").read_bytes()
    assert [file.name for file in cache.iterdir()] == ["N17E073.npy"]
    np.testing.assert_array_equal(load_field("N17E073").values, np.load(path))


def test_loading_downloads_only_when_asked(cache, server, monkeypatch):
    monkeypatch.setenv("AKRIG_MIRROR", f"{server}/good")
    with pytest.raises(UnknownField):
        load_field("N17E073")
    assert load_field("N17E073", download=True).shape == (200, 200)
    monkeypatch.setenv("AKRIG_MIRROR", f"{server}/missing")
    assert load_field("N17E073", download=True).shape == (200, 200)  # it is here now
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("wrong", r"/wrong/N17E073\.npy is not N17E073 as published \(its SHA-256 differs\); try another mirror\."),
        ("unsized", r"its SHA-256 differs"),
        ("cut", r"the connection was cut \d+ bytes before the end; try again"),
        ("missing", r"the server answered 404 Not Found; try again, or name a mirror's folder in AKRIG_MIRROR"),
    ],
)
def test_a_bad_download_leaves_nothing_behind(cache, entry, server, folder, message):
    with pytest.raises(DownloadFailed, match=message) as caught:
        fetch(entry, base_url=f"{server}/{folder}")
    assert isinstance(caught.value, OSError)
    assert list(cache.iterdir()) == []


def test_a_bad_download_keeps_the_good_file_that_was_there(cache, entry, server):
    before = fetch(entry, base_url=f"{server}/good").read_bytes()
    with pytest.raises(DownloadFailed):
        fetch(entry, base_url=f"{server}/cut")
    assert [file.read_bytes() for file in cache.iterdir()] == [before]


def test_no_server_and_no_address_are_told(cache, entry, server):
    port = int(server.rsplit(":", 1)[1])
    with pytest.raises(DownloadFailed, match=r"http://127\.0\.0\.1:1/N17E073\.npy: .*refused"):
        fetch(entry, base_url="http://127.0.0.1:1")
    with pytest.raises(DownloadFailed, match=r"could not be fetched from mirror/N17E073\.npy: unknown url type"):
        fetch(entry, base_url="mirror")
    with pytest.raises(DownloadFailed, match=r"SSL|record|wrong version"):
        fetch(entry, base_url=f"https://127.0.0.1:{port}")
    assert list(cache.iterdir()) == []


def test_a_silent_server_is_given_up(cache, entry):
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(DownloadFailed, match="timed out"):
        fetch(entry, base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_made_is_told(tmp_path, entry, server, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DownloadFailed, match=r"Not a directory|File exists"):
        fetch(entry, base_url=f"{server}/good")


def test_what_needs_no_download_cannot_be_fetched():
    with pytest.raises(InvalidField, match="lake is procedural: there is nothing to fetch"):
        fetch(CATALOGUE["lake"])
