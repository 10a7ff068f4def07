"""Commands end at once when they are asked to, also while threads are busy."""

import signal
import subprocess

import psutil
import pytest
from processes import wait_until
from servers import COMMAND
from systems import linux

pytestmark = pytest.mark.slow


@linux
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_a_long_experiment_ends_at_once(tmp_path, number, code):
    arguments = ["reproduce", "ensemble", "--only", "sizes", "--threads", "2", "--out"]
    process = subprocess.Popen(
        [*COMMAND, *arguments, tmp_path], stderr=subprocess.PIPE, text=True
    )
    try:
        # Its population is as large as those of the page: it takes minutes.
        memory = psutil.Process(process.pid).memory_info
        wait_until(lambda: memory().rss > 130 * 2**20)
        process.send_signal(number)
        process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == code
    assert list(tmp_path.iterdir()) == []
