"""Two thousand bad inputs, always the same; `make fuzz` tries a hundred thousand."""

from tests.fuzz.fuzzing import faults_of, material

CASES = 2000


def test_bad_input_is_one_sentence_soon_and_changes_nothing():
    with material() as good:
        faults = faults_of(range(CASES), good=good, workers=2)
    assert not faults, "\n".join(faults)
