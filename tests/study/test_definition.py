"""Studies in TOML: grids of runs, and everything that can be wrong with them."""

import pytest
import tomli_w

from akrig.errors import ConfigError
from akrig.study.checks import check_settings
from akrig.study.definition import load_study, read_study, study_files
from akrig.study.parts import REPORTS
from akrig.study.reporting import report_function
from tests.study.toys import toy_study

COUNTS = {
    "paper-benchmark": 480,
    "paper-sensitivity": 4 * 24,
    "paper-ablation": 4 * 4 * 3,
    "paper-overfitting": 20,
    "paper-snapshots": 4,
    "benchmark-offline": 480,
}


def read(**content):
    return read_study(content, name="mine", source="mine.toml")


def test_a_grid_is_every_combination_seeds_last():
    study = read(seeds=[0, 1], grid=[{"kernel": ["rbf", "deep"], "strategy": ["random", "active"]}])
    labels = [tuple(s.labels.values()) for s in study.specifications()]
    assert labels[:3] == [("rbf", "random", "0"), ("rbf", "random", "1"), ("rbf", "active", "0")]
    assert len(labels) == len(set(labels)) == 8 == study.num_runs
    assert study.axes == {"kernel": ["rbf", "deep"], "strategy": ["random", "active"], "seed": ["0", "1"]}


def test_several_grids_are_joined_and_told_apart_by_their_labels():
    study = read(
        base={"kernel": "attentive"},
        grid=[{"label": "M", "kernel": {"num_lengthscales": [2, 3]}}, {"label": "H", "kernel": {"hidden": 5}}],
    )
    assert [s.labels for s in study.specifications()] == [
        {"grid": "M", "kernel.num_lengthscales": "2", "seed": "0"},
        {"grid": "M", "kernel.num_lengthscales": "3", "seed": "0"},
        {"grid": "H", "kernel.hidden": "5", "seed": "0"},
    ]
    assert study.specifications()[2].settings == {"kernel": {"name": "attentive", "hidden": 5}, "seed": 0}


def test_a_value_may_be_a_table_with_a_label():
    mask = {"label": "Mask", "name": "attentive", "selection": "instances"}
    study = read(base={"kernel": {"hidden": 7}}, grid=[{"kernel": ["rbf", mask]}])
    rbf, masked = study.specifications()
    assert masked.labels["kernel"] == "Mask"
    assert masked.settings["kernel"] == {"hidden": 7, "name": "attentive", "selection": "instances"}
    assert rbf.settings["kernel"] == {"hidden": 7, "name": "rbf"}
    single = read(grid=[{"kernel": mask}])
    assert [s.labels["kernel"] for s in single.specifications()] == ["Mask"]


def test_the_same_run_in_two_grids_has_one_name_and_two_labels():
    study = read(grid=[{"label": "a", "kernel": ["rbf"]}, {"label": "b", "kernel": ["rbf"]}])
    first, second = study.specifications()
    assert first.name == second.name
    assert first.labels != second.labels


def test_without_a_grid_a_study_is_its_base():
    assert [s.settings for s in read(base={"kernel": "rbf"}, seeds=2).specifications()] == [
        {"kernel": {"name": "rbf"}, "seed": 2}
    ]


@pytest.mark.parametrize(
    ("given", "seeds"),
    [("0-3", (0, 1, 2, 3)), ("0,3,7", (0, 3, 7)), ("5, 1-2", (5, 1, 2)), (4, (4,)), ([0, 1, 1], (0, 1)), ("3", (3,))],
)
def test_seeds_are_written_as_people_do(given, seeds):
    assert read(seeds=given).seeds == seeds


@pytest.mark.parametrize("given", ["", "a", "3-1", "-1", -1, [], [0, "1"], True, 1.5, "0-999999999", None])
def test_other_seeds_are_refused(given):
    with pytest.raises(ConfigError, match=r"seeds: .* does not fit; it should be like '0-9'"):
        read(seeds=given)


def test_everything_wrong_is_said_at_once():
    with pytest.raises(ConfigError) as caught:
        read(
            titel="x",
            kind="misson",
            report="benchmrk",
            seeds="x",
            base={"seed": 1},
            grid=[{"seed": [1], "kernel": [{"hidden": 2}, "rbf", "rbf"], "field": []}],
        )
    expected = [
        "titel is not a word of a study; did you mean 'title'?",
        "kind: 'misson' is not possible; did you mean 'mission'?",
        "report: 'benchmrk' is not possible; did you mean 'benchmark'?",
        "base.seed: seeds gives every run its own; remove it",
        "seeds: 'x' does not fit; it should be like '0-9', '0,3,7', 4 or [0, 1]",
        "grid: seed is not an axis; give seeds = '0-9' above the grids",
        "grid: the value {'hidden': 2} of kernel needs a label",
        "grid: two values of kernel are called 'rbf'; give one of them a label of its own",
        "grid: field has no values",
    ]
    assert caught.value.problems == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "it is empty; a study says at least what its runs share"),
        ({"base": 3}, "base should be a section"),
        ({"base": {"budget": float("nan")}}, "base.budget: nan cannot be used"),
        ({"grid": {"kernel": "rbf"}}, r"write \[\[grid\]\], with two brackets"),
        ({"grid": [{"grid": [1]}]}, "give each a label"),
        ({"title": 3}, "title should be text; got 3"),
        ({"report": "nowhere.at:"}, "report: 'nowhere.at:' does not name a part of your own"),
    ],
)
def test_other_faults_of_a_study(content, message):
    with pytest.raises(ConfigError, match=message):
        read(**content)


def test_only_keeps_the_runs_with_these_labels():
    study = toy_study(grid=[{"kernel": ["rbf", "attentive", "deep"], "field": ["ridges", "lake"]}])
    kept = study.specifications({"kernel": {"rbf", "deep"}, "seed": {"1"}})
    assert [(s.labels["kernel"], s.labels["field"], s.labels["seed"]) for s in kept] == [
        ("rbf", "ridges", "1"),
        ("rbf", "lake", "1"),
        ("deep", "ridges", "1"),
        ("deep", "lake", "1"),
    ]


def test_only_must_name_axes_and_labels_of_the_study():
    with pytest.raises(ConfigError) as caught:
        toy_study().specifications({"kernle": {"rbf"}, "kernel": {"atentive"}})
    assert caught.value.problems == [
        "'kernle' is no axis of toys; did you mean 'kernel'?",
        "kernel is never 'atentive' in toys; did you mean 'attentive'?",
    ]


def test_only_that_keeps_nothing_is_told():
    study = read(grid=[{"label": "a", "kernel": "rbf"}, {"label": "b", "kernel": "deep"}])
    with pytest.raises(ConfigError, match="--only: no run of mine has all of these labels"):
        study.specifications({"grid": {"a"}, "kernel": {"deep"}})


def test_an_unknown_study_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match="no study is called 'paper-benchmrk'; did you mean 'paper-benchmark'"):
        load_study("paper-benchmrk")
    with pytest.raises(ConfigError, match=r"there is no file mine\.toml"):
        load_study("mine.toml")


def test_a_file_that_is_not_toml(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("title = ")
    with pytest.raises(ConfigError, match=r"mine\.toml: this is not TOML"):
        load_study(file)


def test_a_study_from_a_file_and_from_a_folder_of_results(tmp_path):
    file = tmp_path / "mine.toml"
    content = {"seeds": 2, "base": {"kernel": "rbf"}}
    file.write_text(tomli_w.dumps(content))
    study = load_study(file, seeds="0-1")
    assert (study.name, study.seeds) == ("mine", (0, 1))
    file.write_text(tomli_w.dumps({"format": 1, "name": "theirs", **content}))
    assert load_study(file).name == "theirs"
    with pytest.raises(ConfigError, match="--seeds: 'x' does not fit"):
        load_study(file, seeds="x")


@pytest.mark.parametrize("name", sorted(study_files()))
def test_the_studies_that_come_with_akrig_can_be_read(name):
    study = load_study(name)
    specifications = study.specifications()
    assert study.num_runs == len(specifications) == len({(s.name, *s.labels.values()) for s in specifications})
    assert study.num_runs == COUNTS.get(name, study.num_runs)
    assert study.title
    assert study.about
    assert study.report != "none"


@pytest.mark.parametrize("name", list(REPORTS))
def test_every_report_can_be_had(name):
    assert callable(report_function(REPORTS[name].where))


def test_the_papers_studies_are_there():
    words = "benchmark sensitivity ablation overfitting step sin volcano snapshots"
    assert {f"paper-{word}" for word in words.split()} <= set(study_files())


def test_the_offline_benchmark_runs_as_it_is():
    study = load_study("benchmark-offline")
    check_settings(study, study.specifications({"seed": {"0"}}))


def test_wrong_settings_are_told_before_anything_runs_all_at_once():
    study = read(base={"budget": 10, "kernel": "rbf"}, grid=[{"fild": ["ridges"], "strategy": ["random", "mypic"]}])
    with pytest.raises(ConfigError) as caught:
        check_settings(study, study.specifications())
    assert str(caught.value).startswith("Study mine has 2 problems")
    assert "fild is not a setting; did you mean 'field'?" in caught.value.problems
    assert any("no strategy is called 'mypic'; did you mean 'myopic'?" in problem for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("nowhere.at:all", "report: 'nowhere.at:all' cannot be imported"),
        ("os:system", "report: 'os:system' is no report: it is not a function."),
        ("shutil:copy", "report: 'shutil:copy' is no report: it is not called as write(study, results, folder)."),
    ],
)
def test_a_report_of_ones_own_is_tried_before_anything_runs(report, said):
    study = read(base={"field": "ridges", "strategy": "random", "kernel": "rbf"}, report=report)
    with pytest.raises(ConfigError) as caught:
        check_settings(study, study.specifications())
    assert caught.value.problems[0].startswith(said)


def test_settings_that_the_field_forbids_are_told_too():
    study = read(base={"budget": 10, "field": "ridges", "strategy": "random"}, seeds="0-3")
    with pytest.raises(ConfigError, match="budget: 10 readings are fewer than the 50 or so of the pilot survey"):
        check_settings(study, study.specifications())


def test_absent_fields_are_named_with_a_way_out(monkeypatch, tmp_path):
    monkeypatch.delenv("AKRIG_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    study = load_study("paper-benchmark", seeds="0")
    with pytest.raises(ConfigError) as caught:
        check_settings(study, study.specifications())
    assert str(caught.value).startswith("study: The fields N17E073, N43W080, N45W123, N47W124 are not on this machine")
    assert "set AKRIG_DATA" in str(caught.value)
    assert "benchmark-offline" in str(caught.value)


@pytest.mark.parametrize("odd", [[], {}, [{}], 3, 1.5, True])
@pytest.mark.parametrize("key", ["kind", "report"])
def test_what_is_no_word_at_all_is_one_sentence(key, odd):
    with pytest.raises(ConfigError, match=f"{key}: .* is not possible; choose from"):
        read_study({key: odd}, name="mine", source="mine.toml")


@pytest.mark.parametrize(("kind", "report"), [("regression", "scoring"), ("mission", "volcano")])
def test_a_report_that_cannot_be_made_of_such_runs_is_refused(kind, report):
    with pytest.raises(ConfigError, match=f"report: '{report}' is not made of runs of the kind '{kind}'"):
        read(kind=kind, report=report)
