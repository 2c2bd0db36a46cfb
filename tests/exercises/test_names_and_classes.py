"""A class, an instance and a name are told apart, and each says how the other is written."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from block_greedy import BlockGreedy
from by_nonzeros import ByNonzeros
from cases import each_of
from modified_huber import ModifiedHuber
from problems import problem

import cdlab
from cdlab import jit
from cdlab.methods import Method
from cdlab.samplings import Sampling


@dataclass(frozen=True)
class Power(Sampling):
    power: float

    name: ClassVar[str] = "power"


NOT_FOUND = {
    "a loss's class": (lambda: cdlab.Problem(np.eye(2), [1, -1], loss=ModifiedHuber), r"pass ModifiedHuber\(\), "),
    "a sampling's class": (lambda: cdlab.solve(problem(), sampling=ByNonzeros), r"pass ByNonzeros\(\), "),
    "a registered instance": (lambda: cdlab.losses.register(ModifiedHuber()), "takes the class of a loss"),
    "a parameter without default": (lambda: cdlab.samplings.register(Power), "sampling Power needs power"),
    "a loss in words": (lambda: cdlab.losses.resolve("huber(gamma=0.5)"), r"pass Huber\(gamma=0\.5\), not a string"),
    "a method in words": (lambda: cdlab.methods.resolve("rcd(batch_size=4)"), r"pass RCD\(batch_size=4\), not a"),
    "blocks in words": (lambda: cdlab.samplings.resolve("tau_nice(tau=2)"), r"pass TauNice\(tau=2\), not a string"),
}


@each_of("mistake", NOT_FOUND)
def test_a_class_an_instance_and_a_name_are_told_apart(mistake):
    call, sentence = NOT_FOUND[mistake]
    with pytest.raises((TypeError, ValueError), match=sentence):
        call()


def test_an_abstract_method_is_not_registered():
    class Half(Method):
        name: ClassVar[str] = "half"

    with pytest.raises(TypeError, match="method Half has no epoch and no init and no points"):
        cdlab.methods.register(Half)


def test_a_class_is_no_instance():
    with pytest.raises(TypeError, match=r"pass BlockGreedy\(\)"):
        cdlab.methods.resolve(BlockGreedy)


class Numbered(ModifiedHuber):
    pass


@each_of(
    "call",
    [
        cdlab.advise,
        cdlab.path,
        lambda loss: cdlab.race(loss, ["sdca"]),
        cdlab.theory.register,
        cdlab.theory.bound("rcd").for_problem,
    ],
    ids=["advise", "path", "race", "register", "for_problem"],
)
def test_a_class_is_named_as_it_was_written(call):
    """cdlab tells classes of one name apart by a number, which is nobody's business."""
    with pytest.raises(TypeError, match="not Numbered") as error:
        call(jit.struct(Numbered)())
    assert "#" not in str(error.value)
