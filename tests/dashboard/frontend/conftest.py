"""The page with recorded answers, opened in a browser."""

import pytest
from serving_front import front_end


@pytest.fixture(scope="module")
def address():
    with front_end() as site:
        yield site.address
