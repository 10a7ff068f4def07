"""Threads and processes: a forked process solves as its parent does, and ends.

Each scenario runs in a process of its own, since a deadlock would stop the tests too.
"""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

# Generous, since a busy machine must not fail a test; a deadlock never ends.
_MAX_SECONDS = 240

if not hasattr(os, "fork"):
    pytest.skip("the system does not fork", allow_module_level=True)

_BEGINNING = """
import concurrent.futures, contextlib, io, multiprocessing, os, threading
from pathlib import Path
import pypdfium2
from thatch import BeliefPropagation, Exact, MaxIterations, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.text.documents import pdf_pages

GRAPH = BiregularGraph(
    num_items=6_000, num_elements=18_000, item_degree=9, element_degree=3
)
SMALL = BiregularGraph(num_items=60, num_elements=180, item_degree=9, element_degree=3)
PROBLEM = GRAPH.problem(budget=6_000, seed=0)


def value(_=None):
    rule = MaxIterations(5)
    return solve(PROBLEM, BeliefPropagation(), stop=[rule], num_threads=2).upper_bound


def exact_value(_=None):
    problem = SMALL.problem(budget=100, seed=0)
    return solve(problem, Exact(), num_threads=2).selection.value


def num_pages(_=None):
    pdf, file = pypdfium2.PdfDocument.new(), io.BytesIO()
    for _ in range(100):
        pdf.new_page(100, 100)
    pdf.save(file)
    return len(pdf_pages.pages_of(file.getvalue(), Path("a.pdf")))


def forked(work):
    child = os.fork()
    if child == 0:
        os._exit(0 if work() == EXPECTED else 1)
    return child


@contextlib.contextmanager
def reading():
    has_begun, is_over = threading.Event(), threading.Event()

    def read():
        while not is_over.is_set():
            has_begun.set()
            assert num_pages() == EXPECTED

    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        done = threads.submit(read)
        has_begun.wait()
        yield
        is_over.set()
        done.result()


def require(child):
    assert os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    EXPECTED = value()
"""

SCENARIOS = {
    "fork": "require(forked(value)); assert value() == EXPECTED",
    "integer programs": """
        EXPECTED = exact_value()
        require(forked(exact_value))
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            solving = threads.submit(exact_value)
            require(forked(exact_value))
            assert solving.result() == EXPECTED
    """,
    "fork in a fork": """
        def parent():
            first = value()
            require(forked(value))
            return first
        require(forked(parent))
    """,
    "preloading, then workers that are replaced": """
        for _ in range(2):
            for child in [forked(value) for _ in range(4)]:
                require(child)
            assert value() == EXPECTED
    """,
    "fork while another thread solves": """
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            for _ in range(5):
                solving = threads.submit(value)
                require(forked(value))
                assert solving.result() == EXPECTED
    """,
    "fork from a thread that solved": """
        def work():
            value()
            require(forked(value))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """,
    "multiprocessing, fork": """
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(value, range(4)) == [EXPECTED] * 4
    """,
    "multiprocessing, spawn": """
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            assert pool.map(value, range(2)) == [EXPECTED] * 2
    """,
    "concurrent.futures": """
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            assert list(pool.map(value, range(4))) == [EXPECTED] * 4
    """,
    "fork while another thread reads a PDF": """
        EXPECTED = num_pages()
        with reading():
            for _ in range(5):
                require(forked(num_pages))
    """,
    "a fork leaves the worker that reads a PDF to its parent": """
        EXPECTED = num_pages()
        with reading():
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    raise SystemExit  # not os._exit: exit handlers run
                require(child)
    """,
    "dask workers, and forks of them": """
        from distributed import Client, LocalCluster

        def in_worker(_):
            require(forked(value))
            return value()

        with (
            LocalCluster(
                n_workers=1, threads_per_worker=2, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            tasks = [client.submit(in_worker, k) for k in range(2)]
            assert client.gather(tasks) == [EXPECTED] * 2
    """,
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_processes_end_with_the_same_answer(name, tmp_path):
    body = textwrap.indent(textwrap.dedent(SCENARIOS[name]), "    ")
    script = tmp_path / "scenario.py"
    script.write_text(_BEGINNING + body + '\n    print("done")\n')
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=_MAX_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    assert process.returncode == 0, errors
    assert output.splitlines()[-1] == "done"
