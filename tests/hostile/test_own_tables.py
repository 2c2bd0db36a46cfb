"""What people bring from pandas and scikit-learn: a refusal names the column and the remedy, and a warning is right."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from sklearn.linear_model import LinearRegression

import cdlab

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["area", "rooms", "age"])
PRICE = 100 + 10 * TABLE["area"] + RNG.normal(size=60)
CENTRED = TABLE - TABLE.mean()


def squared(X, y, **more):
    return cdlab.Problem(X, y, loss="squared", l2=0.01, **more)


def fitted(X, y):
    return cdlab.CDRegressor().fit(X, y)


BOTH = (squared, fitted)
CITY = TABLE.assign(city="Graz")
HOLLOW = TABLE.assign(roof=np.nan)


@each_of("take", BOTH)
def test_a_refusal_names_the_column(take):
    for X, names in (
        (CITY, "'city' holds 'Graz'; encode"),
        (CITY.to_numpy(), r"column 3 \(counted from 0\) holds"),
        (HOLLOW, "'roof' without a single number.*leave it out"),
        (TABLE.where(TABLE["age"] < 1), "'area', 'rooms', 'age'; fill"),
    ):
        with pytest.raises(ValueError, match=names):
            take(X, PRICE)


@each_of("take", BOTH)
def test_labels_of_another_task_are_told_where_they_belong(take):
    for y, remedy in ((np.where(PRICE > 100, "yes", "no"), "CDClassifier"), (PRICE.map("{:,.0f} €".format), "astype")):
        with pytest.raises(ValueError, match=remedy):
            take(TABLE, y)
    with pytest.raises(ValueError, match="in each other's place"):
        take(PRICE, TABLE)


def test_a_table_with_one_label_column_says_how_to_take_it():
    with pytest.raises(ValueError, match="numpy.ravel"):
        squared(TABLE, PRICE.to_frame())


def test_booleans_beside_numbers_are_numbers():
    P = squared(TABLE.assign(new=TABLE["age"] > 0), PRICE)
    np.testing.assert_array_equal(P.X[:, 3], TABLE["age"] > 0)


@each_of("take", [cdlab.CDClassifier().fit, cdlab.CDClassifierCV().fit, lambda X, y: cdlab.Problem(X, y, "softmax")])
def test_quantities_are_no_classes(take):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of scikit-learn, about the same
        with pytest.raises(ValueError, match="60 distinct labels for 60 examples.*CDRegressor"):
            take(TABLE, np.arange(60))


def test_without_an_intercept_centred_columns_predict_worse_than_the_mean():
    """The warning is a theorem: even least squares has an R^2 below 0."""
    with pytest.warns(UserWarning, match="pass intercept=True"):
        P = squared(CENTRED, PRICE)
    w = np.linalg.lstsq(P.X, P.y)[0]
    assert ((P.X @ w - P.y) ** 2).sum() > ((P.y - P.y.mean()) ** 2).sum()


def test_the_warning_has_no_false_alarm():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        squared(CENTRED, PRICE, intercept=True)
        squared(CENTRED, PRICE - PRICE.mean())
        squared(TABLE + 1, PRICE)  # whose columns can make up for it
        squared(np.zeros((60, 2)), PRICE)
        cdlab.Problem(CENTRED, np.sign(PRICE), loss="logistic")
    assert not seen


def test_without_a_regulariser_a_solution_says_why_nothing_is_certified():
    s = cdlab.solve(cdlab.Problem(TABLE, PRICE, "squared", l2=0))
    assert s.gap == np.inf
    for text in (repr(s), s._repr_html_(), str(s.certified)):
        assert "set l2" in text
    assert "set l2" not in repr(cdlab.solve(squared(TABLE, PRICE)))


@each_of(
    "name, known", [("mse", "squared"), ("squared_error", "squared"), ("log_loss", "logistic"), ("mae", "absolute")]
)
def test_names_of_losses_elsewhere_are_known(name, known):
    with pytest.raises(ValueError, match=f"did you mean '{known}'"):
        cdlab.Problem(TABLE, PRICE, name)


def test_swapped_letters_are_seen():
    with pytest.raises(ValueError, match="did you mean 'sdca'"):
        cdlab.solve(squared(TABLE, PRICE), "sdac")


def test_certify_says_what_linear_regression_lacks():
    model = LinearRegression().fit(TABLE, PRICE)
    with pytest.raises(TypeError, match="fit Ridge"):
        cdlab.certify(model, TABLE, PRICE)


def test_row_numbers_that_pandas_saved_are_no_feature(tmp_path):
    TABLE.assign(price=PRICE).to_csv(tmp_path / "saved.csv")
    with pytest.raises(ValueError, match="index=False"):
        cdlab.datasets.load(tmp_path / "saved.csv", label="price")


@each_of("take", BOTH)
def test_numbers_beyond_float64_are_told_with_their_column(take):
    with pytest.raises(ValueError, match=r"too large.*('rooms'|column 1)"):
        take(TABLE.assign(rooms=1e200 * TABLE["rooms"]), PRICE)
    with pytest.raises(ValueError, match="y is too large"):
        take(TABLE, 1e200 * PRICE)


def test_a_solution_knows_the_columns_of_training(tmp_path):
    s = cdlab.solve(squared(TABLE, PRICE))
    s.save(tmp_path / "s.npz")
    along_a_path = cdlab.path(squared(TABLE, PRICE), l1=[0.1])[0]
    for known in (s, cdlab.load_solution(tmp_path / "s.npz"), along_a_path):
        with pytest.raises(ValueError, match="another order"):
            known.predict(TABLE[["rooms", "age", "area"]])
        with pytest.raises(ValueError, match="lacks columns.*'age'"):
            known.predict(TABLE[["area", "rooms"]])
        np.testing.assert_array_equal(known.predict(TABLE), known.predict(TABLE.to_numpy()))


@each_of("kind", ["Int64", "Float64", "boolean"])
def test_a_missing_entry_of_pandas_is_named_by_row_and_column(kind):
    table = TABLE.assign(age=pd.array([1, None] * 30, dtype=kind))
    model = cdlab.solve(squared(TABLE, PRICE))
    for use in (lambda X: squared(X, PRICE), model.predict, cdlab.datasets.scaled):
        with pytest.raises(ValueError, match=r"row 1 \(from 0\) of column 'age' holds <NA>; fill in missing entries"):
            use(table) if use is not cdlab.datasets.scaled else use(table, "unit")


@each_of("entry", [None, [1], 1j, pd.NA])
def test_an_entry_of_an_object_array_that_is_no_number_is_named(entry):
    X = TABLE.to_numpy().astype(object)
    X[4, 2] = entry
    with pytest.raises(ValueError, match=r"row 4 \(from 0\) of column 2 \(counted from 0\) holds"):
        squared(X, PRICE)


def test_numbers_of_dtype_object_are_told_how_to_be_converted():
    for X in (TABLE.astype(object), TABLE.to_numpy().astype(object)):
        with pytest.raises(ValueError, match=r"its dtype is object: convert it by X.astype\(float\)"):
            squared(X, PRICE)
    with pytest.raises(ValueError, match=r"its dtype is object: convert it by y.astype\(float\)"):
        squared(TABLE, PRICE.astype(object))


@each_of("day", [pd.date_range("2024-01-05", periods=60), ["2024-01-05"] * 60, ["5.1.2024"] * 60])
def test_dates_are_called_dates(day):
    for X in (TABLE.assign(day=day), pd.DataFrame({"day": day})):
        with pytest.raises(ValueError, match=r"make numbers of dates, .*pandas.to_datetime"):
            squared(X, PRICE)


def test_many_classes_are_told_from_quantities():
    X, letters = RNG.normal(size=(52, 3)), np.arange(52) % 26
    with pytest.raises(ValueError, match="26 distinct numbers: .*use the softmax loss .*, or a regression loss"):
        cdlab.Problem(X, letters, l2=0.1)
    with pytest.raises(ValueError, match="use a regression loss") as error:
        cdlab.Problem(X, letters + 0.5, l2=0.1)
    assert "softmax" not in str(error.value)
    words = np.array([f"w{k % 25}" for k in range(40)])
    with pytest.raises(ValueError, match="use the softmax loss for several classes") as error:
        cdlab.Problem(X[:40], words, l2=0.1)
    assert "regression" not in str(error.value), "words are no quantities"
    with pytest.raises(ValueError, match="25 distinct labels for 40 examples, .*merge rare ones"):
        cdlab.Problem(X[:40], words, loss="softmax", l2=0.1)
