import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.settings import CHOICES, DEFAULTS, BadSettings, Settings, load, read, save
from client.tokens import KeptToken


def test_without_anything_the_defaults(tmp_path: Path) -> None:
    loaded = load({}, {}, tmp_path / "none.toml")
    assert loaded.settings == DEFAULTS
    assert not loaded.problems


def test_precedence(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('sort = "rank"\nglyphs = "ascii"\nname = "File"\nanimation = 0\n')
    environ = {"DOBON_GLYPHS": "unicode", "DOBON_NAME": "Variable", "DOBON_BELL": "off", "DOBON_MOUSE": ""}
    settings = load({"name": "Flag", "glyphs": None}, environ, path).settings
    assert settings == Settings(sort="rank", glyphs="unicode", name="Flag", animation=0, bell=False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('sort = "colour"', "sort can't be 'colour', only suit, rank, dealt"),
        ("animation = 301", "animation can't be 301, only 0 … 300"),
        ("animation = true", "animation can't be True"),
        ("bell = 1", "bell can't be 1, only true, false"),
        ("muted = [1]", "muted can't be [1]"),
        ("name = []", "name can't be []"),
        ("sorts = 1", "there is no setting “sorts”"),
        ("[sort]", "sort can't be {}"),
        ("sort = =", "line 1"),
        ("\udcff", "utf-8"),
    ],
)
def test_a_bad_file_is_one_sentence_and_left_alone(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    loaded = load({}, {}, path)
    assert loaded.settings == DEFAULTS
    (problem,) = loaded.problems
    sentence = problem.sentence(lambda text: text)
    assert said in sentence
    assert "\n" not in sentence
    assert str(path) in sentence
    with pytest.raises(BadSettings):
        save({"bell": False}, path)
    assert path.read_bytes() == before


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (problem,) = load({}, {}, tmp_path).problems
    assert "it is a folder" in str(problem)


def test_a_bad_variable_is_passed_over(tmp_path: Path) -> None:
    loaded = load({}, {"DOBON_ANIMATION": "fast", "DOBON_SORT": "rank"}, tmp_path / "none")
    assert loaded.settings == Settings(sort="rank")
    assert str(loaded.problems[0]).startswith("DOBON_ANIMATION is ignored")


def test_saving_keeps_comments_and_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "a" / "settings.toml"
    save({"name": 'ハル "X"', "bell": False}, path)
    path.write_text("# mine\n" + path.read_text() + "  sort = 'rank' # so\n")
    save({"bell": True, "muted": ("a", "b")}, path)
    assert path.read_text().startswith("# mine\n")
    assert read(path) == {"name": 'ハル "X"', "bell": True, "sort": "rank", "muted": ("a", "b")}
    assert [file.name for file in path.parent.iterdir()] == ["settings.toml"]


def test_saving_over_a_value_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('muted = [\n  "a",\n]\nbell = false\n')
    save({"muted": ()}, path)
    assert read(path) == {"muted": (), "bell": False}


def test_a_bad_value_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(BadSettings):
        save({"name": "\ud800"}, tmp_path / "settings.toml")
    assert not list(tmp_path.iterdir())


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "name": any_text,
            "sort": st.sampled_from(CHOICES["sort"]),
            "bell": st.booleans(),
            "animation": st.integers(0, 300),
            "muted": st.lists(any_text, max_size=3).map(tuple),
        },
    )
)
def test_what_is_saved_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("settings") / "settings.toml"
    for _ in range(2):
        save(changes, path)
        assert read(path) == changes
    assert load({}, {}, path).settings == Settings(**changes)


def test_tokens_are_kept_for_the_owner_alone(tmp_path: Path) -> None:
    with KeptToken("h:5213", "Haru", tmp_path) as kept:
        assert kept.token is None
        kept.keep("s3cret")
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Haru" not in file.name
    with KeptToken("h:5213", "ＨＡＲＵ", tmp_path) as again:
        assert again.token == "s3cret"
        again.forget()
    assert KeptToken("h:5213", "Haru", tmp_path).token is None


def test_tokens_differ_by_server_and_name(tmp_path: Path) -> None:
    with KeptToken("h:5213", "Haru", tmp_path) as kept:
        kept.keep("a")
    assert KeptToken("h:5214", "Haru", tmp_path).token is None
    assert KeptToken("h:5213", "Sora", tmp_path).token is None
    assert KeptToken("h:5213", "Haru", tmp_path).token == "a"


def test_a_token_in_use_is_not_shared(tmp_path: Path) -> None:
    with KeptToken("h:1", "Haru", tmp_path) as first:
        first.keep("a")
        with KeptToken("h:1", "Haru", tmp_path) as second:
            assert second.token is None
            second.keep("b")
    assert KeptToken("h:1", "Haru", tmp_path).token == "a"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with KeptToken("h:1", "Haru", tmp_path / "file") as kept:
        kept.keep("a")
        kept.forget()
        assert kept.token is None
