import pytest
from threadpoolctl import ThreadpoolController

from akrig.gp import threads


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
