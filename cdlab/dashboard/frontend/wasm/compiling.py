"""``python -m cdlab.dashboard.frontend.wasm.compiling OUT ONLY``: kernels.wasm and kernels.json.

`building.kernels` starts it, in a process whose numba has no cache. Every cell is run once; a kernel is compiled
where it is first called. numba's LLVM code of 64 bits needs no change for wasm32: pointers shrink by themselves,
integers stay. SIMD is used: without it dense data take up to three times as long, and all browsers have it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba.core.dispatcher import Dispatcher

from .... import losses, methods, samplings
from ....methods import Method
from ....problems.certificates import certificate
from ....problems.problem import Problem
from ....samplings.alias import AliasTable
from ....samplings.serial import compile_permutation
from . import cells, generator_kernels, page_kernels, signatures
from .names import read_by_javascript

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+nontrapping-fptoint,+simd128"
IMPORTS = ("exp", "log", "log1p", "expm1")  # functions of Math, as in kernels.js; any other is an error of the linker
LINK = ("wasm-ld", "--no-entry", "--export-dynamic", "--export=__heap_base", "--strip-all", "-O3")
STACK_BYTES = 65536


def main(out: Path, only: str) -> None:
    """Compile, link and describe."""
    for _, method, problem in cells.cells(only):
        run_once(method, problem)
    generator_kernels.compile_generator()
    AliasTable.compile()
    compile_permutation()
    found = {}
    for name, compiled in compiled_kernels():
        key = signatures.key(name, compiled)
        if key in found:
            raise ValueError(f"two kernels go by {key}: {found[key].signature} and {compiled.signature}")
        found[key] = compiled
    link(found, out)
    file = {
        "kernels": {key: signatures.signature(compiled) for key, compiled in sorted(found.items())},
        "losses": {name: loss_facts(name) for name in cells.LOSSES},
        "methods": {name: method_facts(name) for name in cells.METHODS},
        "samplings": list(cells.SAMPLINGS),
    }
    (out / "kernels.json").write_text(json.dumps(file, separators=(",", ":")))


def run_once(method: Method, problem: Problem) -> None:
    """An epoch and a certificate."""
    P = method.view(problem)
    S = method.init(problem, "uniform")
    orders = method.orders(problem, samplings.resolve("uniform"), np.random.default_rng(0))
    for _ in range(2):  # a number of the state may only then be a float
        S = method.epoch(P, S, next(orders))
    certificate(problem, method.points(problem, S), None)
    page_kernels.compile_for(problem)


def compiled_kernels() -> Iterator[tuple[str, Any]]:
    """(name, compiled) of what JavaScript calls."""
    called, seen = read_by_javascript("KernelName"), set()
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == "cdlab"]:
        for name, found in list(vars(module).items()):
            if isinstance(found, Dispatcher) and name in called and id(found) not in seen:
                seen.add(id(found))
                yield from ((name, compiled) for compiled in found.overloads.values())


# ------------------------------------------------------------ facts
def loss_facts(name: str) -> dict[str, Any]:
    """The parts of a loss; null stands for infinity."""
    loss = losses.resolve(name)
    lipschitz = float(loss.lipschitz)
    return {
        "struct": {"_": type(loss).__name__} | loss._asdict(),  # type: ignore[attr-defined]
        "gamma": float(loss.gamma),
        "chosen": "gamma" in getattr(type(loss), "_fields", ()) and loss.gamma > 0,
        "lipschitz": lipschitz if lipschitz < float("inf") else None,
        "classification": loss.classification,
    }


def method_facts(name: str) -> dict[str, Any]:
    """The facts of a method that a run has to know."""
    method = methods.resolve(name)
    return {
        "side": method.side,
        "draws": method.draws(samplings.resolve("uniform")) is not None,
        "batches": name in cells.IN_BATCHES,
        "empty": getattr(method, "inner", method).zero_rows,
    }


# ------------------------------------------------------------ one module
def link(found: dict[str, Any], out: Path) -> None:
    """Write kernels.wasm, with every kernel under its key."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    whole = joined(found, str(machine.target_data))
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
    whole.verify()
    kernels, imports = out / "kernels.o", out / "imports.txt"
    kernels.write_bytes(machine.emit_object(whole))
    imports.write_text("\n".join(IMPORTS))
    files = [f"--allow-undefined-file={imports}", kernels, "-o", out / "kernels.wasm"]
    subprocess.run([sys.executable, "-m", "ziglang", *LINK, "-z", f"stack-size={STACK_BYTES}", *files], check=True)
    kernels.unlink()
    imports.unlink()


def joined(found: dict[str, Any], layout: str) -> Any:
    """The LLVM code of all kernels as one module, of which nothing else is visible."""
    whole = llvm.parse_assembly("")
    for compiled in found.values():
        module = llvm.parse_assembly(compiled.library.get_llvm_str())
        for wrapper in (compiled.fndesc.llvm_cpython_wrapper_name, compiled.fndesc.llvm_cfunc_wrapper_name):
            module.get_function(wrapper).linkage = "internal"  # they talk to CPython: dropped as unused
        module.triple, module.data_layout = TRIPLE, layout
        whole.link_in(module)
    exported = {compiled.fndesc.mangled_name: key for key, compiled in found.items()}
    for function in whole.functions:
        if function.name in exported:
            function.linkage, function.name = "external", exported[function.name]
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"  # numba's are common symbols, which wasm does not know
    whole.triple, whole.data_layout = TRIPLE, layout
    return whole


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
