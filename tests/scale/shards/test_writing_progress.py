"""What is shown while shards are written."""

import pytest
from systems import posix
from terminals import Terminal

pytestmark = posix


@pytest.mark.slow
def test_reading_and_writing_are_shown(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("item,element\n0,0\n1,1\n2,2\n")
    shown, printed, code = Terminal(f"""
        import thatch.run.progress_bar as bars
        bars._SECONDS_BETWEEN = 0.0
        from thatch.scale import shard_edges
        problem = shard_edges(
            {str(edges)!r}, {str(tmp_path / "out")!r}, budget=1, num_shards=2,
            progress=True,
        )
        print(problem.num_edges)
    """).end()
    assert (printed, code) == ("3\n", 0)
    assert "rows 0 of about" in shown and "reading edges" in shown
    assert "shards 0 of 2" in shown and "shards 1 of 2" in shown
    assert shown.endswith("\x1b[2K"), "the line is erased"


@pytest.mark.slow
def test_nothing_is_shown_of_what_takes_a_moment(tmp_path):
    assert Terminal(f"""
        from thatch.scale import write_biregular
        write_biregular(
            {str(tmp_path)!r}, num_items=10, budget=9, num_shards=2, seed=1
        )
    """).end() == ("", "", 0)
