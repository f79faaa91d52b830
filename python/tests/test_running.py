"""While a fit runs: callbacks, Ctrl-C, threads, progress."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import partwise as pw

X = np.random.default_rng(0).random((60, 40))


def test_a_callback_sees_every_iteration_and_true_stops():
    seen = []
    model = pw.NMF(5, random_state=0, callback=lambda it: seen.append(it) or it.number == 7).fit(X)
    assert [it.number for it in seen] == list(range(8)) and model.n_iter_ == 7
    assert seen[0].kkt is None and all(it.kkt > 0 for it in seen[1:])
    assert all(a.objective >= b.objective and a.elapsed <= b.elapsed for a, b in zip(seen, seen[1:]))
    np.testing.assert_array_equal(model.history_["objective"], [it.objective for it in seen])


def test_an_error_in_a_callback_comes_out():
    def callback(iteration):
        if iteration.number == 2:
            raise KeyError("mine")

    model = pw.NMF(5, callback=callback)
    with pytest.raises(KeyError, match="mine"):
        model.fit(X)
    assert not hasattr(model, "components_")


def test_a_callback_that_returns_something_else_does_not_stop():
    assert pw.NMF(5, random_state=0, max_iter=5, tol=0, callback=lambda it: "go on").fit(X).n_iter_ == 5


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_ctrl_c_ends_a_fit_within_a_fifth_of_a_second():
    script = """
        import os, signal, threading, time
        import numpy as np
        import partwise as pw
        X = np.random.default_rng(0).random((400, 100))
        pressed = []
        def press():
            time.sleep(0.5)
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=press).start()
        try:
            pw.NMF(10, init="random", max_iter=10**9, tol=0, n_jobs=1).fit(X)
        except KeyboardInterrupt:
            print(time.perf_counter() - pressed[0])
        # The interpreter is whole: the next fit works.
        print(pw.NMF(2, max_iter=3, tol=0).fit(X).n_iter_)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=True)
    waited, iterations = done.stdout.split()
    # Looked for every 50 ms; the rest is what a busy machine takes.
    assert float(waited) < 0.2 and iterations == "3", done.stdout


def test_two_fits_in_two_threads_run_at_the_same_time():
    spans = {}

    def run(name):
        times = []
        pw.NMF(10, random_state=0, max_iter=60, tol=0, n_jobs=1, callback=lambda it: times.append(time.perf_counter()) and None).fit(np.tile(X, (20, 5)))
        spans[name] = (times[0], times[-1])

    threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(start for start, _ in spans.values()) < min(end for _, end in spans.values())


def test_other_threads_run_during_a_fit():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    pw.NMF(10, random_state=0, max_iter=10**6, tol=0, time_limit=0.3, n_jobs=1).fit(X)
    stop.set()
    ticker.join()
    assert len(ticks) > 20


def test_verbose_shows_progress(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    pw.NMF(3, random_state=0, max_iter=20, tol=0, verbose=1).fit(X)
    assert "NMF: iteration 10, objective" in capsys.readouterr().out
    pw.NMF(3, random_state=0, max_iter=20, tol=0).fit(X)
    assert capsys.readouterr().out == ""


def test_the_handler_of_ctrl_c_stays_what_it_was():
    before = signal.getsignal(signal.SIGINT)
    pw.NMF(3, random_state=0, max_iter=5, tol=0).fit(X)
    assert signal.getsignal(signal.SIGINT) is before
