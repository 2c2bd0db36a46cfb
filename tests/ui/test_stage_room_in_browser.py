"""The stage in windows of all sizes, light and dark."""

import pytest

pytestmark = [pytest.mark.ui, pytest.mark.full]  # a push sees the same on the page

REGIONS = ["Matrix", "Convergence", "Bound", "Face-off"]
PICTURE = "node => node.toDataURL()"


def test_dark_and_light_are_drawn_in_other_colours(on_stage):
    visitor = on_stage()
    before = [canvas.evaluate(PICTURE) for canvas in visitor.page.locator("canvas").all()]
    visitor.page.evaluate("document.documentElement.setAttribute('data-bs-theme', 'dark')")
    visitor.page.wait_for_timeout(200)
    after = [canvas.evaluate(PICTURE) for canvas in visitor.page.locator("canvas").all()]
    assert all(a != b for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("size", [(1280, 470), *(pytest.param(size) for size in ((1440, 900), (1280, 720)))])
def test_on_a_laptop_all_regions_are_in_view_without_scrolling(on_stage, size):
    width, height = size
    page = on_stage({"width": width, "height": height}).page
    playhead = page.get_by_role("slider", name="Playhead")
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    boxes = [page.get_by_role("region", name=name, exact=True).bounding_box() for name in REGIONS]
    boxes += [page.get_by_role("figure", name="Two variables").bounding_box(), playhead.bounding_box()]
    for box in boxes:
        assert box["width"] > 100
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert 0 <= box["y"] <= box["y"] + box["height"] <= height
