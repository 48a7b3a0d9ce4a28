"""What a study was computed on."""

import os
import platform
from pathlib import Path


def processor() -> str:
    """Cores and their make, where the operating system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} \u00d7 {named[0] if named else platform.processor() or platform.machine()}"
