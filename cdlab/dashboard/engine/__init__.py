"""The Python engine of the page: what is asked of it and what it answers is in `schema`.

* Seven functions answer: `catalog.catalog`, `predicting.predict`, `racing.race`, `explaining.explain`,
  `advising.advise`, `rates.rates`, `facts.facts`. No browser and no Panel here: notebooks and tests call them, too.
* `answering.answer` answers a page's questions with them, in threads and in turn with other pages; `to_json` there is
  for what it yields.
* `choices` are the subjects of questions. Answers are made of `problems`, `theorems`, `run_views` (single runs) and
  `outcomes`; `stories` and `words.json` hold the texts. The WebAssembly engine reads `words.json`, too.
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
