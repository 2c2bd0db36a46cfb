"""The Python engine of the page: what is asked of it and what it answers is in `schema`.

* `answering.answer` answers questions of pages in threads, in turn; it calls the six functions:
* `catalog.catalog`, `predicting.predict`, `racing.race`, `explaining.explain`, `advising.advise`, `facts.facts`.

No browser and no Panel here: notebooks, tests and the command line call the same functions. `stories` has the twelve
stories, `words.json` the sentences, which the WebAssembly engine reads, too.
"""

from .advising import advise
from .answering import Visitor, answer
from .catalog import catalog
from .choices import Choices
from .explaining import explain
from .facts import facts
from .predicting import predict
from .racing import race

__all__ = ["Choices", "Visitor", "advise", "answer", "catalog", "explain", "facts", "predict", "race"]
