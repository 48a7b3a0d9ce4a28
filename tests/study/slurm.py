"""A real SLURM on loopback: munge, a controller and one node, all in a folder of a test."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
CONF = """
ClusterName=akrig
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """The reason why there is no SLURM here; empty if there is one."""
    absent = [name for name in NEEDED if not _find(name)]
    if absent:
        return f"no SLURM here ({', '.join(absent)}): apt-get install slurmctld slurmd slurm-client munge"
    return "" if os.geteuid() == 0 else "SLURM's daemons need root"


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """The environment for whoever submits jobs."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    host = socket.gethostname().partition(".")[0]
    ports = {"controller_port": _free_port(), "node_port": _free_port()}
    conf = folder / "slurm.conf"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    conf.write_text(CONF.format(folder=folder, host=host, cores=os.cpu_count(), memory=memory, **ports))
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    folder.chmod(0o755)
    munge = ["--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
    munge += [f"--{what}-file={folder}/munge.{what}" for what in ("log", "pid", "seed")]
    env = {**os.environ, "SLURM_CONF": str(conf)}
    with ExitStack() as daemons:
        for command in (["munged", *munge], ["slurmctld", "-D", "-f", conf], ["slurmd", "-D", "-f", conf]):
            daemons.enter_context(_daemon(command, folder, env))
        _wait_until_idle(env, folder)
        yield env


@contextmanager
def _daemon(command: list, folder: Path, env: dict[str, str]) -> Iterator[None]:
    name, *arguments = command
    with (folder / f"{name}.said").open("w") as said:
        process = subprocess.Popen([str(_find(name)), *map(str, arguments)], stdout=said, stderr=said, env=env)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_idle(env: dict[str, str], folder: Path) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        said = subprocess.run(["sinfo", "-h", "-o", "%T"], env=env, capture_output=True, text=True)
        if said.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    files = sorted([*folder.glob("*.said"), *folder.glob("*.log")])
    logs = "\n".join(f"== {log.name}\n{log.read_text()[-1500:]}" for log in files)
    raise RuntimeError(f"SLURM does not start: sinfo says {said.stdout!r} {said.stderr!r}\n{logs}")


def _find(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
