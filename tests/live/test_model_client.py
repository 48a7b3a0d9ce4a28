import asyncio
import time

import pytest
from anyio.from_thread import start_blocking_portal

from akrig.live.model_client import ModelClient, Unavailable


def test_closing_waits_for_a_process_that_is_just_starting():
    """What it shares with the page would be left behind otherwise."""
    client = ModelClient()

    async def begin_and_close():
        asking = asyncio.create_task(client.ask(time.sleep, 60))
        await asyncio.sleep(0)
        processes = list(client._pool._processes.values())
        client.close()
        with pytest.raises((Unavailable, asyncio.CancelledError)):
            await asking
        return processes

    with (
        start_blocking_portal() as portal
    ):  # in a thread of its own: a browser's tests leave a loop running in this one
        processes = portal.call(begin_and_close)
    assert processes
    assert not any(process.is_alive() for process in processes)
