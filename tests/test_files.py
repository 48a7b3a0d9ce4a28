"""Files are read if they are files, and what is wrong with one is one sentence."""

import os
import socket
from pathlib import Path

import pytest

from akrig.errors import AkrigError, ConfigError
from akrig.files import UnreadableFile, check_file, content_of, read_bytes, read_text, read_toml


def test_a_file_is_read_whole(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfdepth\r\n")
    assert read_bytes(tmp_path / "a") == b"\xef\xbb\xbfdepth\r\n"
    assert read_text(tmp_path / "a") == "depth\r\n"  # without the mark at its beginning


def test_what_is_no_file_is_told_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "socket"))
        for path, said in (
            (tmp_path, "is a folder"),
            (tmp_path / "pipe", "is a pipe or a device"),
            (Path("/dev/zero"), "is a pipe or a device"),
        ):
            for read in (read_bytes, read_text, read_toml, check_file):
                with pytest.raises(UnreadableFile, match=said):
                    read(path)
        for path in (tmp_path / "loop", tmp_path / "socket", tmp_path / "nowhere"):
            with pytest.raises(OSError, match=str(path)):
                read_bytes(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    (tmp_path / "a").write_bytes(b"0123456789")
    assert read_bytes(tmp_path / "a", most=10)
    with pytest.raises(UnreadableFile, match="has 10 bytes; akrig reads at most 9"):
        read_bytes(tmp_path / "a", most=9)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"seed = ", "this is not TOML"),
        (b"\xff\xfe\x00", "this is not TOML"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"a = " + b"{a = " * 5000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "this is not TOML"),
    ],
)
def test_what_is_no_toml_is_one_sentence(content, said, tmp_path):
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=said) as caught:
        read_toml(tmp_path / "a.toml")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (KeyError("depth"), "'depth' is missing"),
        (RecursionError("maximum"), "it is nested too deeply"),
        (MemoryError(), "it is too large"),
        (ValueError("a\nb."), "a b"),
        (IndexError(), "IndexError"),
        (OSError(5, "Input/output error"), "Input/output error"),
    ],
)
def test_wrong_content_is_one_sentence(fault, said):
    with pytest.raises(UnreadableFile) as caught, content_of(Path("a.csv"), advice="export it again"):
        raise fault
    assert f"({said}); export it again." in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_akrig_says_is_told_as_it_is():
    with pytest.raises(ConfigError, match="as it is"), content_of(Path("a"), advice="x", error=AkrigError):
        raise ConfigError("a", ["as it is"])
