import matplotlib.pyplot as plt
import pytest

from akrig.files import written_beside
from akrig.plots.save import png_bytes, save_figure


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_ending_decides_the_format_and_nothing_else_is_left(tmp_path, ending, begins):
    path = tmp_path / f"figure.{ending}"
    figure = plt.figure()
    save_figure(figure, path)
    assert path.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [path]
    assert figure.number not in plt.get_fignums()


def test_an_old_file_stays_when_writing_fails(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")

    def fail_midway():
        with written_beside(path) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_midway()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_figure_in_memory_is_closed():
    figure = plt.figure()
    assert png_bytes(figure, dpi=20).startswith(b"\x89PNG")
    assert figure.number not in plt.get_fignums()
