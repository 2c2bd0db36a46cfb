"""Records on a logarithmic scale of passes: by cutting orders, so that the run is the one with records per epoch."""

import itertools

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import problem
from variants import VARIANTS

import cdlab
from cdlab.methods import METHODS
from cdlab.problems.certificates import certificate
from cdlab.runs import pauses
from cdlab.runs.entries import check_entry
from cdlab.runs.feed import DividedOrder
from cdlab.runs.pauses import LogMoments
from cdlab.runs.running import Run
from cdlab.samplings import Batches, Uniform

PASSES = 4.0


def run_to(method, epochs, records, l2=0.1, **options):
    """A run after whole epochs."""
    run = Run(problem(l2=l2), method, records=records, **options)
    while run.counts.epochs < epochs:
        next(run)
    while run.feed.rest is not None:
        next(run)
    return run


def fits(method):
    try:
        check_entry(problem(), method, Uniform())
    except ValueError:
        return False
    return True


METHODS_AND_VARIANTS = [*(make() for make in METHODS.values()), *VARIANTS.values()]
DIVISIBLE = [method for method in METHODS_AND_VARIANTS if method.can_split_epoch and fits(method)]


OFTEN_TESTED = ("sdca", "rcd", "rcd(batch_size=3)", "saga")


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, id=method.label, marks=[] if method.label in OFTEN_TESTED else pytest.mark.full)
        for method in DIVISIBLE
    ],
)
def test_a_run_whose_orders_are_cut_is_the_same_run(method):
    per_epoch, cut = (run_to(method, 3, records) for records in ("epochs", "log"))
    if cut.counts.epochs > 3:  # the last moment before the end of epoch 3 was left out
        per_epoch = run_to(method, cut.counts.epochs, "epochs")
    np.testing.assert_array_equal(cut.w, per_epoch.w)
    np.testing.assert_array_equal(cut.alpha, per_epoch.alpha)
    ended = cut.trace.records[-1]
    same = {r.iteration: r for r in per_epoch.trace.records}
    assert (same[ended.iteration].passes, same[ended.iteration].primal) == (ended.passes, ended.primal)


@each_of("entry", ["sdca@permutation", "rcd@importance", "quartz", ("rcd", {"batch_size": 3})])
def test_a_record_is_where_single_updates_have_come_to(entry):
    """Each update fed alone, and measured: the records are these at the moments."""
    P = problem()
    trace = cdlab.solve(P, entry, records="log", tol=0, max_passes=1.0).trace
    method, sampling = cdlab.runs.entries.resolve_entry(entry)
    view, S = method.view(P), method.init(P, sampling, None)
    found = {0: certificate(P, method.points(P, S), None).primal}
    for order in itertools.islice(method.orders(P, sampling, np.random.default_rng(0)), 2):
        divided = DividedOrder(order, method.visits(P))
        while not divided.is_used_up:
            S = method.epoch(view, S, divided.take(0))
            found[len(found)] = certificate(P, method.points(P, S), None).primal
    assert [found[record.iteration] for record in trace.records] == trace.column("primal").tolist()
    assert len(trace.records) >= 4


def test_there_are_thirty_records_a_decade_of_passes():
    X, y = cdlab.datasets.make(n=3000, d=20, density=0.3, seed=0)
    P = cdlab.Problem(X, y, l2=1 / 3000)
    trace = cdlab.solve(P, "sdca", records="log", tol=0, max_passes=10).trace
    expected = 0.01 * 10 ** (np.arange(91) / 30)
    passes = trace.column("passes")[1:]
    assert passes.size == 91
    line = P.row_profile.counts.max() / P.nnz
    assert (passes >= expected - 1e-12).all()
    assert (passes <= expected + line).all()  # the first update that is there
    assert (trace.meta["records"], trace.meta["every"]) == ("log", None)


@each_of("method", ["svrg", "lbfgs", "appa"])
def test_methods_with_stages_or_full_gradients_are_measured_at_their_epochs(method):
    P = problem()
    log, dense = (
        cdlab.solve(P, method, tol=0, max_passes=6, **how).trace for how in ({"records": "log"}, {"every": 1})
    )
    known = dict(zip(dense.column("passes"), dense.column("primal"), strict=True))
    assert {passes: known[passes] for passes in log.column("passes")} == dict(
        zip(log.column("passes"), log.column("primal"), strict=True)
    )


@given(nnz=st.integers(10, 10**9), products=st.integers(0, 2))
def test_certificates_visit_at_most_a_tenth_beyond_the_first_pass(nnz, products):
    moments, spent, before = LogMoments(nnz), 0.0, 0
    while moments.due < 1000:
        now = moments.due
        if now > 1:
            spent += products / 2 * nnz
            assert spent <= pauses.FREE_NONZEROS + 0.1 * (now - 1) * nnz * (1 + 1e-12)
        else:
            before += 1
        moments.note(now, products)
    assert before == 61  # 0.01 to 1


def test_a_run_that_is_stopped_in_the_midst_of_an_epoch_goes_on_as_if_it_had_not_been():
    P = problem()
    whole = cdlab.solve(P, "sdca", records="log", tol=0, max_passes=PASSES)
    stopped = cdlab.solve(P, "sdca", records="log", tol=0, max_passes=PASSES, stop=lambda r: r.passes > 0.4)
    resumed = stopped.resume(tol=0, max_passes=PASSES)
    np.testing.assert_array_equal(resumed.w, whole.w)
    for name in ("passes", "primal", "dual"):
        np.testing.assert_array_equal(resumed.trace.column(name), whole.trace.column(name))


def test_a_race_has_them_and_a_store_keeps_them_apart(tmp_path):
    P, entries = problem(), ["sdca", "rcd"]
    options = {"max_passes": 3, "tol": 0, "store": tmp_path / "store"}
    dense, log, again = (cdlab.race(P, entries, **options, records=records) for records in ("epochs", "log", "log"))
    assert len(log[0][0].records) > len(dense[0][0].records)
    np.testing.assert_array_equal(again[1][0].column("best_gap"), log[1][0].column("best_gap"))
    alone = cdlab.solve(P, "rcd", records="log", max_passes=3, tol=0).trace
    np.testing.assert_array_equal(alone.column("passes"), log[1][0].column("passes"))


def test_passes_to_a_target_lie_between_the_records():
    race = cdlab.race(problem(), ["sdca"], records="log", tol=1e-8)
    trace, eps = race[0][0], 1e-3
    passes, gaps = trace.column("passes"), trace.column("relative_best_gap")
    k = int(np.flatnonzero(gaps <= eps)[0])
    found = race.reached(eps)[0, 0]
    assert passes[k - 1] < found <= passes[k]
    assert np.interp(found, passes[k - 1 : k + 1], np.log(gaps[k - 1 : k + 1])) == pytest.approx(np.log(eps))


@each_of(
    "options, sentence",
    [
        ({"records": "often"}, "records must be 'epochs' or 'log', not 'often'"),
        ({"records": "log", "every": 2}, 'every counts epochs, and records="log" counts passes'),
    ],
)
def test_records_are_of_one_kind(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.solve(problem(), "sdca", **options)


def test_a_class_with_an_epoch_of_its_own_is_not_split():
    class Mine(cdlab.methods.SDCA):
        name = "mine"

        def epoch(self, P, S, order):
            return super().epoch(P, S, order[::-1].copy())

    assert cdlab.methods.SDCA.can_split_epoch
    assert not Mine.can_split_epoch
    assert Mine().epochs_together(problem(), None) == 1


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.lists(st.floats(0, 30), min_size=1, max_size=20))
def test_parts_are_the_order_and_no_longer_than_asked_for(order, amounts):
    visits = np.array([0, 1, 3, 10, 2])
    order = np.array(order, np.uint64)
    blocks = Batches(order, np.arange(order.size + 1, dtype=np.uint64))
    for whole, of in ((order, lambda part: part), (blocks, lambda part: part.indices)):
        divided, parts = DividedOrder(whole, visits), []
        for amount in itertools.cycle(amounts):
            part = of(divided.take(amount))
            assert part.size >= 1
            assert visits[part[:-1]].sum() < amount or part.size == 1
            parts.append(part)
            if divided.is_used_up:
                break
        np.testing.assert_array_equal(np.concatenate(parts), order)
