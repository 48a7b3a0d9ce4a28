import threading

import pytest
import torch
from threadpoolctl import ThreadpoolController

from akrig import threads


@pytest.fixture
def blas():
    import scipy.linalg.lapack  # noqa: F401 - so that its library is loaded

    libraries = ThreadpoolController().select(user_api="blas")
    with libraries.limit(limits=2):
        yield libraries


def counts(libraries):
    return [library.get_num_threads() for library in libraries.lib_controllers]


def test_small_matrices_get_one_thread_and_others_settings_are_put_back(blas):
    before = counts(blas)
    with threads.blas_threads(100):
        assert set(counts(blas)) == {1}
        with threads.blas_threads(100):
            assert set(counts(blas)) == {1}
        assert set(counts(blas)) == {1}
    assert counts(blas) == before


def test_large_matrices_get_all_threads(blas):
    before = counts(blas)
    with threads.blas_threads(threads.LARGE):
        assert counts(blas) == before


def test_an_error_puts_the_settings_back(blas):
    before = counts(blas)
    with pytest.raises(KeyError), threads.blas_threads(1):
        raise KeyError
    assert counts(blas) == before


@pytest.fixture
def two_cores():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_what_is_done_side_by_side_comes_back_in_order(two_cores):
    both = threading.Barrier(2, timeout=60)  # neither gets past it alone

    def meet(name: str) -> str:
        both.wait()
        return name

    assert threads.side_by_side([lambda: meet("first"), lambda: meet("second")], num_rows=threads.FEWEST_ROWS) == [
        "first",
        "second",
    ]


@pytest.mark.parametrize(("cores", "rows"), [(1, 1000), (2, threads.FEWEST_ROWS - 1)])
def test_little_to_do_or_one_core_is_no_work_for_threads(two_cores, cores, rows):
    torch.set_num_threads(cores)
    assert threads.side_by_side([threading.get_ident] * 3, num_rows=rows) == [threading.get_ident()] * 3


def test_a_failure_is_told_when_the_others_have_ended(two_cores):
    started, ended = threading.Event(), []

    def slow() -> None:
        started.wait(60)
        ended.append(True)

    def fail() -> None:
        started.set()
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        threads.side_by_side([fail, slow], num_rows=1000)
    assert ended


@pytest.mark.parametrize("size", [150, 2100])
def test_blas_gets_one_thread_for_each(two_cores, blas, size):
    def given() -> set[int]:
        with threads.blas_threads(size):
            return set(counts(blas))

    assert threads.side_by_side([given, given], num_rows=size) == [{1}, {1}]
    assert set(counts(blas)) == {2}


@pytest.mark.parametrize(("work", "parts"), [(10**9, 2), (threads.LEAST_WORK, 1), (0, 1)])
def test_rows_are_parted_among_cores_if_that_is_worth_it(two_cores, work, parts):
    done = []
    threads.by_cores(lambda begin, end: done.append((begin, end)), 7, work=work)
    assert len(done) == parts
    assert sorted(row for begin, end in done for row in range(begin, end)) == list(range(7))


def test_each_job_gets_one_thread():
    import torch
    from threadpoolctl import threadpool_info

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with threads.one_thread_each():
        assert torch.get_num_threads() == 1
        assert {library["num_threads"] for library in threadpool_info()} == {1}
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
