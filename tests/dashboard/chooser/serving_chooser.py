"""Serve the chooser and the stories alone: ``python serving_chooser.py`` prints the address."""

from __future__ import annotations

import numpy as np
import panel as pn

from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.choices.uploads import read_upload
from cdlab.dashboard.chooser.component import Chooser
from cdlab.dashboard.chooser.story_bar import StoryBar
from cdlab.dashboard.look import theme
from cdlab.samplings import SAMPLINGS

TEMPLATE = """
{% extends base %}
{% block postamble %}
<style>{% raw %}THEME{% endraw %}
body { margin: 0 } main { padding: 8px 20px; display: grid; gap: 8px; grid-template-columns: minmax(0, 1fr) }
@media (max-width: 760px) { main { padding: 8px 12px 140px } }
</style>{% endblock %}
{% block contents %}
<main>{{ embed(roots.stories) }}{{ embed(roots.chooser) }}{{ embed(roots.asked) }}</main>
{% endblock %}
""".replace("THEME", theme())


def bars(kind: str) -> list[float]:
    """A shape for each sampling, made up."""
    x = np.linspace(0, 1, 24)
    shape = {"importance": 3 * np.exp(-4 * x) + 0.4, "norms": 2 * np.exp(-2 * x) + 0.5}.get(kind, np.ones(24))
    return (shape / shape.mean()).tolist()


def page() -> pn.Template:
    choosing = Choosing()
    asked = pn.pane.HTML("")
    pressed: list[str] = []

    def say(*_) -> None:
        words = f"{choosing.choices.to_query()} {choosing.guess} {' '.join(pressed)}"
        asked.object = f"<p id='said' style='overflow-wrap: anywhere'>{words}</p>"

    def press(name: str) -> None:
        pressed.append(name)
        busy = name == "run" or (name == "step" and chooser.shown.startswith('{"running": true'))
        chooser.show(busy, 40 if busy else 0, "Running sdca, importance." if busy else "Stopped." if pressed else "")
        say()

    async def take(name: str, size: int, content: bytes | None) -> None:
        choosing.choices.take(read_upload(name, content))

    chooser = Chooser(choosing, press, take, sizing_mode="stretch_width")
    chooser.histograms({name: bars(name) for name in SAMPLINGS})
    choosing.choices.param.watch(say, list(choosing.choices.values()))
    choosing.param.watch(say, ["guess", "place"])
    say()
    template = pn.Template(TEMPLATE)
    template.add_panel("stories", StoryBar(choosing, sizing_mode="stretch_width"))
    template.add_panel("chooser", chooser)
    template.add_panel("asked", asked)
    return template


if __name__ == "__main__":
    server = pn.serve(page, port=0, show=False, start=False)
    print(f"http://localhost:{server.port}/", flush=True)
    server.start()
    server.io_loop.start()
