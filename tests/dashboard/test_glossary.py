from cdlab.dashboard.drawers.glossary import WORDS, glossary
from cdlab.methods import METHODS


def test_the_words_of_a_race_and_its_methods_are_explained():
    text = glossary(["sdca", "rcd"])
    assert all(f"<dt>{name}</dt>" in text for name in ("pass", "bound", "sdca", "rcd", "T<sub>P</sub>/T<sub>D</sub>"))
    assert "Stochastic dual coordinate ascent" in text


def test_every_method_has_a_sentence():
    text = glossary(METHODS)
    assert text.count("<dt>") == text.count("</dd>") == len(WORDS) + len(METHODS)
    assert "<dd></dd>" not in text
