"""Blocks on the page: every kind on both sides, the ESO that its theorem uses, and a script that draws the same."""

import pytest
from cases import each_of
from small_choices import small

from cdlab.dashboard.engine import predict
from cdlab.dashboard.engine.choices import ANY_BLOCK
from cdlab.dashboard.engine.code import script
from cdlab.dashboard.engine.racing import stream
from cdlab.samplings import BySize, TauNice

ENTRIES = ["quartz", "rcd", "sdca", "apcg", "acc_rcd"]
KINDS = [
    (ANY_BLOCK, "uniform"), (ANY_BLOCK, "importance"), ("independent", "uniform"), ("independent", "importance"),
    ("bucket", "uniform"), ("bucket", "importance"), ("bucket", "lipschitz"), ("distributed", "uniform"),
]  # fmt: skip


def chosen(blocks, sampling, **more):
    return small(batch=4, blocks=blocks, primal_sampling=sampling, dual_sampling=sampling, methods=ENTRIES, **more)


@each_of("blocks, sampling", KINDS)
def test_each_kind_has_its_theorem_and_its_eso(blocks, sampling):
    choices = chosen(blocks, sampling)
    for entry, theorem in zip(choices.contestants(), predict(choices).theorems, strict=True):
        plain = (blocks, sampling) == (ANY_BLOCK, "uniform")
        kind = "bucket" if blocks == ANY_BLOCK else blocks
        assert entry.draws == (TauNice(4) if plain else BySize(kind, 4, sampling))
        assert theorem.label.startswith(f"{entry.method.name}(4)")
        assert theorem.value > 0
        assert sum("ESO" in words for _, words in theorem.meanings) == 1


def test_the_esos_differ():
    found = [
        symbol
        for blocks in (ANY_BLOCK, "independent", "bucket", "distributed")
        for symbol, words in predict(chosen(blocks, "uniform")).theorems[0].meanings
        if "ESO" in words
    ]
    assert len(set(found)) == 4


@pytest.mark.parametrize(("blocks", "sampling"), [("bucket", "importance"), ("independent", "uniform")])
def test_the_script_draws_the_same(blocks, sampling):
    choices = chosen(blocks, sampling).but(methods=["quartz", "acc_rcd"])
    ends = {(run.label, run.draw): run.passes[-1] for event in stream(choices) for run in event.runs}
    made = script(choices, "")
    assert f"cdlab.samplings.BySize(kind={blocks!r}, size=4, by={sampling!r})" in made
    names = {}
    exec(made.replace('assert P.digest == "", "these', 'assert P.digest, "these'), names)
    assert sorted(trace.records[-1].passes for trace in names["race"].traces) == pytest.approx(sorted(ends.values()))
    assert len(ends) == 4
