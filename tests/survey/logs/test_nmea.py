"""Sentences that pynmea2 writes."""

from datetime import UTC, datetime

import numpy as np
import pynmea2
import pytest

from akrig.journal.legs import UnreadableLog
from akrig.survey.logs.kind import log_of
from akrig.survey.logs.log import read_log
from akrig.survey.logs.nmea import read
from tests.survey.logs.cruises import BEGIN, FRAME, cruise, depth_at, placed


def degrees(value: float, digits: int, sides: str) -> tuple[str, str]:
    whole = int(abs(value))
    return f"{whole:0{digits}d}{(abs(value) - whole) * 60:010.7f}", sides[0] if value >= 0 else sides[1]


def fix(seconds: float, lonlat, *, kind: str = "GGA") -> str:
    at = datetime.fromtimestamp(BEGIN + seconds, UTC)
    clock, day = f"{at:%H%M%S}.{at.microsecond // 1000:03d}", f"{at:%d%m%y}"
    place = (*degrees(lonlat[1], 2, "NS"), *degrees(lonlat[0], 3, "EW"))
    fields = {
        "GGA": (clock, *place, "1", "09", "0.9", "400", "M", "48", "M", "", ""),
        "RMC": (clock, "A", *place, "3.9", "90", day, "", ""),
        "GLL": (*place, clock, "A"),
    }[kind]
    return str(getattr(pynmea2, kind)("GP", kind, tuple(map(str, fields))))


def sounding(depth: float, *, kind: str = "DPT", offset: float = 0.0) -> str:
    fields = {
        "DPT": (f"{depth:.4f}", f"{offset}", ""),
        "DBT": (f"{depth / 0.3048:.4f}", "f", f"{depth:.4f}", "M", "", "F"),
    }
    return str(getattr(pynmea2, kind)("SD", kind, fields[kind]))


def write(path, kinds=("RMC", "GGA"), depth="DPT", **how):
    """A fix a second, and two soundings, a third and two thirds of it later."""
    lines = []
    for seconds, place, *_ in zip(*cruise(), strict=True):
        lonlat = FRAME.to_degrees(place[None])[0]
        lines += [fix(seconds, lonlat, kind=kind) for kind in kinds]
        ahead = place + np.array([[2.0, 0]] if seconds < 40 else [[-2.0, 0]]) * np.array([[1 / 3], [2 / 3]])
        lines += [sounding(value, kind=depth, **how) for value in depth_at(ahead)]
    path.write_text("\r\n".join([*lines, ""]), newline="")
    return lines


@pytest.mark.parametrize("kinds", [("RMC",), ("GLL",), ("GGA",)])
@pytest.mark.parametrize("depth", ["DPT", "DBT"])
def test_soundings_lie_between_the_fixes_around_them(tmp_path, kinds, depth):
    write(tmp_path / "log.nmea", kinds, depth)
    log = read_log(tmp_path / "log.nmea")
    X, y = placed(log)
    assert len(y) == 178  # two are after the last fix
    turning = (X[:, 1] > 0.01) & (X[:, 1] < 11.99)
    assert turning.sum() == 2
    assert np.abs(y - depth_at(X))[~turning].max() < 0.002  # two centimetres on the ground
    assert "without a fix" in log.notes[0]


def test_times_are_those_of_the_receiver(tmp_path):
    write(tmp_path / "log.nmea", ("RMC",))
    soundings, _ = read(tmp_path / "log.nmea")
    assert soundings.time[:3] == pytest.approx([BEGIN + 1 / 3, BEGIN + 2 / 3, BEGIN + 4 / 3], abs=1e-3)


def test_without_a_date_midnight_is_passed(tmp_path):
    now = f"{datetime.fromtimestamp(BEGIN, UTC):%H%M%S}"
    clocks = ("235958", "235959", "000000", "000001")
    lines = [fix(0, (8.5, 47.3)).replace(now, clock).split("*")[0] for clock in clocks]
    (tmp_path / "log.txt").write_text("\n".join(line for each in lines for line in (each, "$SDDPT,4.0,")) + "\n")
    soundings, _ = read(tmp_path / "log.txt")
    assert np.diff(soundings.time) == pytest.approx([1, 1, 0.5])


def test_a_loggers_own_time_stands_before_and_damage_is_counted(tmp_path):
    lines = write(tmp_path / "log.nmea")
    spoilt = [
        line.replace("DPT,1", "DPT,7") if k % 40 == 2 else f"2026-06-15 12:00:{k % 60:02d};{line}"
        for k, line in enumerate(lines)
    ]
    (tmp_path / "log.nmea").write_text(
        "\n".join([*spoilt, "$SDDPT,,*57", "\x00\xff", "$GPGGA,1,2"]), encoding="latin-1"
    )
    log = read_log(tmp_path / "log.nmea")
    assert "9 damaged sentences" in log.notes[0]
    X, y = placed(log)
    assert np.abs(y - depth_at(X)).max() < 2


def test_the_offset_to_the_water_line_is_added_and_that_to_the_keel_is_not(tmp_path):
    for offset, more in ((0.4, 0.4), (-0.3, 0.0)):
        write(tmp_path / "log.nmea", offset=offset)
        soundings, _ = read(tmp_path / "log.nmea")
        assert soundings.depth[0] == pytest.approx(10 + 0.2 / 3 + more, abs=1e-3)


def test_where_the_receiver_was_lost_soundings_have_no_place(tmp_path):
    lines = write(tmp_path / "log.nmea", ("GGA",))
    (tmp_path / "log.nmea").write_text("\n".join(line for k, line in enumerate(lines) if k % 3 or not 60 <= k < 120))
    log = read_log(tmp_path / "log.nmea")
    assert "44 without a fix within 10 s" in log.notes[0]
    _, y = placed(log)
    assert len(y) == 136


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["$GPRMC,120000,A,4718.0,N,00830.0,E,3,90,150625,,"] * 3, "no DPT and no DBT"),
        (["$SDDPT,4.0,0.1"] * 9, "no position fix"),
        (["$GPGGA,120000,,,,,0,,,M,,M,,", "$SDDPT,4.0,0.1"] * 9, "no position fix"),
        (["$SDDPT,4.0,0.1*00", "$GPRMC,120000,A,4718.0,N,00830.0,E,3,90,150625,,"], "no DPT and no DBT"),
    ],
)
def test_what_is_no_survey_is_one_sentence(tmp_path, lines, said):
    (tmp_path / "log.nmea").write_text("\n".join([*lines, ""]))
    assert log_of(tmp_path / "log.nmea").name == "nmea"
    with pytest.raises(UnreadableLog, match=said) as caught:
        read_log(tmp_path / "log.nmea")
    assert "log.nmea" in str(caught.value)
