"""Serve the stage alone on recorded data: ``python serving_stage.py`` prints its address. ``?kind=words`` chooses."""

from __future__ import annotations

import panel as pn
from recording import KINDS, recorded

from cdlab.dashboard.look import theme
from cdlab.dashboard.stage.component import StageView

TEMPLATE = """
{% extends base %}
{% block postamble %}
<style>{% raw %}THEME{% endraw %}
body { margin: 0 } main { height: 100vh; box-sizing: border-box; padding: 16px 20px; display: flex }
main > * { flex: 1; min-width: 0 } @media (max-width: 900px) { main { height: auto } }
</style>{% endblock %}
{% block contents %}<main>{{ embed(roots.stage) }}</main>{% endblock %}
""".replace("THEME", theme())


def page() -> pn.Template:
    kind = pn.state.session_args.get("kind", [b"words"])[0].decode()
    template = pn.Template(TEMPLATE)
    template.add_panel("stage", StageView(recorded(kind), sizing_mode="stretch_both"))
    return template


if __name__ == "__main__":
    for kind in KINDS:
        recorded(kind)
    server = pn.serve(page, port=0, show=False, start=False)
    print(f"http://localhost:{server.port}/", flush=True)
    server.start()
    server.io_loop.start()
