"""Who is at the other end."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from akrig.live import peers

WAYS = [peers._from_netlink, peers._from_proc]


@pytest.fixture(params=["127.0.0.1", "::1", "mapped"])
def connected(request):
    """Both ends of a connection: the page's, and the client's."""
    family = socket.AF_INET if request.param == "127.0.0.1" else socket.AF_INET6
    host = "::" if request.param == "mapped" else request.param
    try:
        server = socket.create_server((host, 0), family=family, dualstack_ipv6=request.param == "mapped")
    except OSError:
        pytest.skip("there is no IPv6 here")
    there = "127.0.0.1" if request.param == "mapped" else request.param
    with server, socket.create_connection((there, server.getsockname()[1])) as client:
        accepted, _ = server.accept()
        with accepted:
            yield accepted, client


@pytest.mark.skipif(not peers.can_tell_users(), reason="this system does not tell who made a connection")
class TestUsers:
    @pytest.mark.parametrize("way", WAYS)
    def test_ones_own_connection_is_known(self, connected, way):
        assert way(connected[0]) == os.getuid()

    @pytest.mark.parametrize("way", WAYS)
    def test_who_has_left_is_nobody(self, connected, way):
        """Not root, whose number the kernel gives for an end that nobody holds."""
        connected[1].close()
        assert way(connected[0]) is None

    @pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
    @pytest.mark.parametrize("way", WAYS)
    def test_another_user_is_told_apart(self, way):
        with socket.create_server(("127.0.0.1", 0)) as server:
            call = (
                "import encodings.idna, os, socket, sys; os.setuid(65534);"
                f"c = socket.create_connection(('127.0.0.1', {server.getsockname()[1]})); sys.stdin.read()"
            )
            with subprocess.Popen([sys.executable, "-c", call], stdin=subprocess.PIPE) as other:
                server.settimeout(60)
                accepted, _ = server.accept()
                with accepted:
                    assert way(accepted) == 65534
                other.communicate()

    def test_the_table_serves_where_the_kernel_cannot_be_asked(self, connected, monkeypatch):
        def refuse(connection):
            raise OSError("no netlink here")

        monkeypatch.setattr(peers, "_from_netlink", refuse)
        assert peers.peer_user(connected[0]) == os.getuid()


def test_where_nothing_can_be_known_nobody_is_known(connected, monkeypatch):
    def refuse(connection):
        raise PermissionError("not here")

    monkeypatch.setattr(peers, "_from_netlink", refuse)
    monkeypatch.setattr(peers, "_from_proc", refuse)
    assert peers.peer_user(connected[0]) is None
    assert not peers.can_tell_users()


def test_in_a_user_namespace_nobody_is_known(monkeypatch, tmp_path):
    (tmp_path / "uid_map").write_text("         0       1000          1\n         1     100000      65536\n")
    monkeypatch.setattr(peers, "Path", lambda name: tmp_path / Path(name).name)
    assert not peers.can_tell_users()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_addresses_of_one_client_are_grouped(one, other, same):
    assert (peers.client_group(one) == peers.client_group(other)) is same


@pytest.mark.parametrize(("host", "is_one"), [("127.0.0.1", 1), ("::1", 1), ("::ffff:127.0.0.9", 1), ("10.0.0.1", 0)])
def test_loopback_is_known_by_its_address(host, is_one):
    assert peers.is_loopback(host) == bool(is_one)
