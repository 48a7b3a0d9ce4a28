"""The mission page under load: a mission of 20,000 readings, and one watched by clients that stall or hurry."""

import benchmarks.timing  # noqa: F401, I001 - first: pins every library to one thread

import http.client
import multiprocessing
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from akrig.config import load_settings
from akrig.journal.events import to_line
from akrig.journal.folder import RunFolder
from akrig.runs import MissionWatcher, run_mission, create_run
from akrig.survey.folders import create_survey
from akrig.survey.settings import load_survey
from benchmarks.live.attacks import held_to
from benchmarks.live.blocks import Blocks

LAKE = Path(__file__).parents[2] / "examples" / "lake.toml"
READINGS, SECONDS, LEGS, SNAPSHOTS = 20_000, 7200, 400, 60
CLIENTS, BLOCK = 20, 24  # BLOCK: epochs between letting clients in and turning them out


def served(path: Path) -> tuple[subprocess.Popen, int, float]:
    """The page's process, its port, and the seconds until it could be opened."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "akrig", "view", str(path), "--no-browser", "--port", "0"]
    # In a session of its own, as in another terminal: there, Linux does not count the page's low priority.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    return process, int(line.rsplit(":", 1)[1].strip("/\n")), time.perf_counter() - begin


def locked(path: Path, *, core: int | None) -> tuple[subprocess.Popen, int, str]:
    """The process, port and key of a page where steering needs the key on this computer, too, held to a core."""
    command = [sys.executable, "-m", "akrig", "view", str(path), "--no-browser", "--port", "0", "--ask-key"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=held_to(core)
    )
    assert process.stderr is not None
    port = int(process.stderr.readline().rsplit(":", 1)[1].strip("/\n"))
    return process, port, process.stderr.readline().split()[-1]


def memory(pid: int) -> float:
    """The most that a process has had so far, MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found.group(1)) / 1024 if found else float("nan")


# -- a long mission ------------------------------------------------------------------------------------------------


def write_large(path: Path) -> None:
    """What two hours on the lake leave: soundings five times a second, telemetry every second, snapshots, scores."""
    folder = create_survey(load_survey(LAKE, {"budget": {"distance": 99_000.0}}, simulate=True), path)
    rng = np.random.default_rng(0)
    t = np.linspace(0, SECONDS, READINGS)
    angle = t / 40
    x, y = 100 * np.sin(angle) * np.cos(t / 900), 60 * np.sin(1.31 * angle)
    value = 10 + 5 * np.sin(x / 30) + rng.normal(size=READINGS) / 10
    events = [{"event": "mission", "format": 1, "akrig": "0.1.0"}]
    for k in range(READINGS):
        place, moment = [x[k], y[k]], float(t[k])
        if k % (READINGS // LEGS) == 0:
            if k:
                events.append(_epoch(k, moment, place))
            ahead = min(k + READINGS // LEGS, READINGS - 1)
            events.append({"event": "plan", "waypoints": [[x[ahead], y[ahead]]]})
        for share in (0.0, 0.4, 0.8)[: 2 if k % 2 else 1]:
            events.append({"event": "sounding", "time": moment + share / 3, "unix": 1.8e9 + moment,
                           "position": place, "raw": value[k], "value": value[k]})  # fmt: skip
        if k % 40 == 7:
            events.append({"event": "rejected", "time": moment, "unix": 1.8e9 + moment, "position": place,
                           "raw": 0.1, "reason": "confidence too low (4 % of 30)"})  # fmt: skip
        events.append({"event": "measurement", "time": moment, "position": place, "value": value[k]})
    events += [_epoch(READINGS, SECONDS, [x[-1], y[-1]]), {"event": "end", "reason": "budget"}]
    folder.journal.write_text("".join(to_line(event) for event in events))
    _write_beside(folder, t, x, y, rng)


def _epoch(readings: int, moment: float, place: list[float]) -> dict:
    index = readings * LEGS // READINGS - 1
    return {"event": "epoch", "index": index, "loss": 0.0, "position": place, "heading": 1.0, "readings": readings,
            "distance": 2.0 * readings, "time": moment, "vehicle": {}}  # fmt: skip


def _write_beside(folder: RunFolder, t: np.ndarray, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> None:
    state = '{{"time":{},"unix":{},"x":{},"y":{},"heading":1.0,"speed":1.5,"mode":"GUIDED","armed":true,"battery":0.8,'
    state += '"voltage":15.5,"fix":3,"satellites":14,"hdop":0.8,"depth":10.0,"link":0.2,"waiting":[]}}\n'
    seconds = range(SECONDS)
    folder.telemetry.write_text(
        "".join(state.format(s, 1.8e9 + s, np.interp(s, t, x), np.interp(s, t, y)) for s in seconds)
    )
    folder.snapshots.mkdir()
    for k in range(1, SNAPSHOTS + 1):
        grids = {"mean": rng.normal(10, 3, size=(39, 60)), "std": rng.uniform(0, 2, size=(39, 60))}
        with folder.snapshot(k * READINGS // SNAPSHOTS).open("wb") as file:
            np.savez_compressed(file, **{name: grid.astype(np.float32) for name, grid in grids.items()})
    rows = [f"{k},{(k + 1) * READINGS // LEGS},{k},{SECONDS * (k + 1) / LEGS},0,{2 - k / LEGS},{3 - k / LEGS}\n"
            for k in range(LEGS)]  # fmt: skip
    folder.scores.write_text("epoch,samples,distance,time,loss,uncertainty,rmse\n" + "".join(rows))
    folder.timings.write_text("epoch,plan,follow,fit,look\n" + "".join(f"{k},0.1,1,0.2,0.1\n" for k in range(LEGS)))


def measure_large(path: Path) -> None:
    from playwright.sync_api import sync_playwright

    write_large(path)
    process, port, ready = served(path)
    print(f"{READINGS} readings, {path.joinpath('journal.jsonl').stat().st_size / 1e6:.1f} MB of journal")
    print(f"  `akrig view` ready after            {ready:6.2f} s")
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]
        )
        opened = []
        for _ in range(5):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            begin = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
            page.wait_for_selector("html[data-shown*='map-'], html[data-shown*='model-']")
            whole = time.perf_counter() - begin
            paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
            opened.append((paint, whole))
            if len(opened) < 5:
                page.close()
        print(f"  first paint                         {statistics.median(p for p, _ in opened):6.2f} s (median of 5)")
        print(f"  all readings and the map on show    {statistics.median(w for _, w in opened):6.2f} s (median of 5)")
        frames = page.evaluate(
            "new Promise(done => { let n = 0; document.getElementById('play').click(); const t = performance.now();"
            " const step = () => { n += 1; const s = performance.now() - t;"
            " s < 15000 ? requestAnimationFrame(step) : done(1000 * n / s); }; requestAnimationFrame(step); })"
        )
        print(f"  pictures a second while playing     {frames:6.1f} (no graphics card)")
        heap = page.evaluate("performance.memory.usedJSHeapSize") / 2**20
        print(f"  memory of the page (JavaScript)     {heap:6.0f} MiB")
        browser.close()
    print(f"  memory of the server                {memory(process.pid):6.0f} MiB")
    process.terminate()
    process.wait()


# -- a mission that is watched -------------------------------------------------------------------------------------


def measure_clients(path: Path) -> None:
    """One mission; clients come and go every few epochs, so that a busy moment of the machine hits both alike."""
    settings = load_settings(
        None, {"field": "ridges", "strategy": "active", "budget": 1100, "scoring": {"every": 10}, "seed": 1}
    )
    folder = create_run(settings, path)
    process, port, _ = served(path)
    context = multiprocessing.get_context("spawn")
    let_in, over = context.Event(), context.Event()
    crowd = [context.Process(target=client, args=(port, k, let_in, over)) for k in range(1)]
    for one in crowd:
        one.start()
    blocks = Blocks(BLOCK)
    time.sleep(6)  # everybody is there
    blocks.begin(lambda number: (let_in.set if number % 2 else let_in.clear)())
    run_mission(folder, MissionWatcher(hear=blocks.hear))
    over.set()
    for one in crowd:
        one.join(20)
    print(f"{len(blocks.seconds)} epochs, every other {BLOCK} with {CLIENTS} stalled clients and one as fast as it can")
    blocks.tell("unwatched", "watched")
    print(f"  memory of the server                {memory(process.pid):6.0f} MiB")
    process.terminate()
    process.wait()


def client(port: int, number: int, let_in, over) -> None:
    """While let in: twenty connections that never read what they are sent, and requests one after the other."""
    os.nice(19)  # clients are on other machines; what they need to think is not to be counted
    count = 0
    while not over.is_set():
        if not let_in.wait(0.2):
            continue
        stalled = [_stalled(port) for _ in range(CLIENTS)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        paths = ("/map/model", "/access", "/at?x=0&y=0", "/", "/map/60")
        while let_in.is_set() and not over.is_set():
            connection.request("GET", paths[count % len(paths)])
            connection.getresponse().read()
            count += 1
        connection.close()
        for one in stalled:
            one.close()
    print(f"  requests answered                   {count:6d}")


def _stalled(port: int) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port))
    host = f"127.0.0.1:{port}"
    opened.sendall(
        f"GET /feed HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return opened
