"""The nets catch fish: faults planted one at a time are found, nearly all."""

from __future__ import annotations

import pytest

from .faults import FAULTS, Fault
from .planting import HERE, caught_by, main, mutated


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_can_be_planted(fault: Fault) -> None:
    source = (HERE / fault.file).read_text("utf-8")
    compile(mutated(fault, source), fault.file, "exec")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("word", ["lost in the reshuffle", "shown to everybody", "before it is written"])
def test_a_few_are_found(word: str) -> None:
    (fault,) = [fault for fault in FAULTS if word in fault.name]
    assert caught_by(fault)


@pytest.mark.nightly
@pytest.mark.timeout(4 * 3600)
def test_nearly_all_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(FAULTS) >= 20
    status = main([])
    print(capsys.readouterr().out)
    assert status == 0
