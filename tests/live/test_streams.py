"""Whoever reads a stream in pieces has the same rows as who reads it at once."""

from hypothesis import given
from hypothesis import strategies as st

from akrig.live.streams import Cursor, Stream, Streams

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers()),
        st.tuples(st.just("cut"), st.integers(0, 6)),
        st.tuples(st.just("change"), st.integers(0, 6)),
        st.tuples(st.just("read"), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_pieces_add_up(steps):
    stream, rows, cursor = Stream("v"), [], Cursor()
    for step, value in [*steps, ("read", 0)]:
        if step == "append":
            stream.append(value)
        elif step == "cut":
            stream.cut(value)
        elif step == "change" and value < len(stream):
            stream.change(value, v=-1)
        elif step == "read":
            new, cursor = stream.since(cursor), stream.cursor
            if new is not None:
                rows = rows[: new["from"]] + new["v"]
            assert rows == stream["v"]
    assert stream.since(cursor) is None


def test_only_what_changed_is_told():
    streams = Streams(a=Stream("x"), b=Stream("y"))
    streams.a.append(1)
    cursors = streams.cursors
    streams.b.append(2)
    assert streams.since(cursors) == {"b": {"from": 0, "y": [2]}}
    assert streams.since({}) == {"a": {"from": 0, "x": [1]}, "b": {"from": 0, "y": [2]}}
