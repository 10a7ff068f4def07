import re

import pytest

from thatch.paper.infinite_price import InfinitePrice, InfinitePriceRow


def table(kinds, inverse_temperatures):
    return InfinitePrice(
        tuple(
            InfinitePriceRow(kind, each, 10, 10, 10, 1.0, 0.1, 1.0, 1.0, 1.0)
            for kind in kinds
            for each in inverse_temperatures
        )
    )


@pytest.mark.parametrize(
    ("kinds", "inverse_temperatures"),
    [(("integers", "reals"), (0.1, 1.0, 10.0)), (("integers",), (1.0, 2.0))],
)
def test_every_curve_is_named_in_one_font(kinds, inverse_temperatures, tmp_path):
    table(kinds, inverse_temperatures).write_picture(tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text()
    for kind in kinds:
        for order in ("order of an infinite price", "order by weight per cost"):
            assert f"<!-- {order}, {kind} -->" in text
    assert r"<!-- inverse temperature $\beta$ -->" in text
    assert "<!-- graphs with the same selection (%) -->" in text
    # Formulas as well.
    assert set(re.findall(r"#(DejaVu[A-Za-z]+)-", text)) == {"DejaVuSerif"}
