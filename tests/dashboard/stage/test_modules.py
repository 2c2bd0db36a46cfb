"""How the modules of the stage are joined for Panel."""

import subprocess
from pathlib import Path

import pytest
from cases import each_of
from nodejs import node

from cdlab.dashboard.parts.scripts import script
from cdlab.dashboard.stage import component


def test_joined_they_are_one_module_that_asks_for_nothing():
    text = component.StageView._esm
    assert "\nimport " not in text
    assert "import(" not in text
    assert text.count("\nexport ") == 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "entry.js"


def run(code: str) -> str:
    done = subprocess.run([node(), "--input-type=module", "-e", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_equal_names_in_two_modules_do_not_meet(tmp_path):
    entry = write(
        tmp_path,
        a="const own = 1\nexport const one = () => own\n",
        b='import {one} from "./a.js"\nconst own = 2\nexport function two() { return one() + own }\n',
        entry='import {one as first} from "./a.js"\nimport {two} from "./b.js"\nconst own = 3\n'
        "console.log(first(), two(), own)\n",
    )
    assert run(script(entry)) == "1 3 3"


def test_a_module_runs_once(tmp_path):
    entry = write(
        tmp_path,
        a='console.log("a")\nexport const x = 1\n',
        b='import {x} from "./a.js"\nexport const y = x\n',
        entry='import {x} from "./a.js"\nimport {y} from "./b.js"\nconsole.log(x + y)\n',
    )
    assert run(script(entry)) == "a\n2"


@each_of("line", ['import * as a from "./a.js"', 'import "./a.js"', "export default 1", 'export {x} from "./a.js"'])
def test_other_forms_are_refused_by_name(tmp_path, line):
    with pytest.raises(ValueError, match=r"entry.js has an import or export that cannot be joined"):
        script(write(tmp_path, a="export const x = 1\n", entry=f"{line}\n"))


def test_a_name_that_is_not_exported_is_missed_before_a_browser_does(tmp_path):
    entry = write(tmp_path, a="export const x = 1, y = 2\n", entry='import {x, y} from "./a.js"\n')
    with pytest.raises(ValueError, match=r"entry.js imports y, and a.js has no line that exports it"):
        script(entry)


def test_modules_that_import_each_other_are_refused(tmp_path):
    entry = write(tmp_path, entry='import {b} from "./b.js"\n', b='import {c} from "./entry.js"\nexport const b = 1\n')
    with pytest.raises(ValueError, match="imports itself, by way of entry.js, b.js"):
        script(entry)
