"""Steps of derived data sets: which rows, which columns, how they are scaled, features, labels.

Steps that measure something (ranges of columns, counts, distances) measure it on the train part and apply it to the
test part as well. Before `HoldOut` all rows are the train part.
"""

from .columns import AppendOnes, ColumnsToUnitInterval, MostFrequentColumns
from .features import RandomFourierFeatures
from .labels import PositiveClasses
from .rows import DropEmptyRows, FirstRows, HoldOut, Permute, SortByLabel
from .scales import MeanRowNormOne, UnitRows
from .step import Prepared, Step

__all__ = [
    "AppendOnes", "ColumnsToUnitInterval", "DropEmptyRows", "FirstRows", "HoldOut", "MeanRowNormOne",
    "MostFrequentColumns", "Permute", "PositiveClasses", "Prepared", "RandomFourierFeatures", "SortByLabel", "Step",
    "UnitRows",
]  # fmt: skip
