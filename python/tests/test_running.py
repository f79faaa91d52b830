"""While a fit runs: callbacks, Ctrl-C, threads, progress."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import partwise as pw
import pytest

X = np.random.default_rng(0).random((60, 40))


def test_a_callback_sees_every_iteration_and_true_stops():
    seen = []
    model = pw.NMF(5, random_state=0, callback=lambda it: seen.append(it) or it.number == 7).fit(X)
    assert [it.number for it in seen] == list(range(8)) and model.n_iter_ == 7
    assert seen[0].kkt is None and all(it.kkt > 0 for it in seen[1:])
    assert all(a.objective >= b.objective and a.elapsed <= b.elapsed for a, b in zip(seen, seen[1:]))
    np.testing.assert_array_equal(model.history_["objective"], [it.objective for it in seen])


def test_the_gradient_is_that_which_the_last_iteration_met():
    for model in (pw.NMF(5, random_state=0, max_iter=20), pw.NMF(5, solver="mu", random_state=0, max_iter=20), pw.SymNMF(5, random_state=0, max_iter=20)):
        model.set_params(tol=0).fit(X @ X.T)
        assert model.kkt_ == pytest.approx(model.history_["kkt"][-1], rel=1e-12) and model.kkt_ > 0
    # Without an iteration it is that of the start.
    assert pw.NMF(5, random_state=0, max_iter=0).fit(X).kkt_ > 0


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


BUSY = {
    "iterations": "pw.NMF(10, init='random', max_iter=10**9, tol=0, n_jobs=1).fit(X)",
    # An iteration of half a minute.
    "one iteration": "pw.NMF(300, init='random', max_iter=1, tol=0, n_jobs=1).fit(np.tile(X, (50, 40)))",
    "one iteration of two threads": "pw.NMF(300, init='random', max_iter=1, tol=0, n_jobs=2).fit(np.tile(X, (50, 40)))",
    "a start": "pw.NMF(300, init='nndsvd', n_jobs=1).fit(np.tile(X, (50, 40)))",
    "the graph of neighbours": "pw.GNMF(3, n_jobs=1).fit(np.tile(X, (60, 5)))",
    "automatic": "pw.automatic(np.tile(X, (5, 1)), np.where(np.arange(2000) < 40, np.arange(2000) % 4, -1), n_jobs=1)",
    "codes": "model.transform(np.tile(X, (1000, 1)))",
    "a sweep": "pw.GuidedNMF(30, random_state=0, max_iter=10**6, tol=0, n_jobs=1).sweep(X, np.where(np.arange(400) < 20, np.arange(400) % 4, -1))",
    "a callback": "pw.NMF(2, max_iter=10**9, tol=0, callback=lambda it: time.sleep(0.001) and None).fit(X)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize("what", BUSY)
def test_ctrl_c_ends_work_within_a_fifth_of_a_second(what):
    script = """
        import os, signal, threading, time, warnings
        import numpy as np
        import partwise as pw
        warnings.simplefilter("ignore")
        X = np.random.default_rng(0).random((400, 100))
        # What is imported at first use is here before Ctrl-C comes: SciPy doesn't survive one in its own import.
        for name in pw.__all__:
            getattr(pw, name)
        pw.NMF(2, max_iter=1, tol=0, n_jobs=1).fit(X)
        model = pw.NMF(60, random_state=0, max_iter=3, tol=0, n_jobs=1).fit(X) if "model" in WORK else None
        pressed = []
        def press():
            time.sleep(0.7)
            pressed.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=press).start()
        try:
            exec(compile(WORK, "work", "exec"))
            print("it was done")
        except KeyboardInterrupt as interrupt:
            print(time.process_time() - pressed[0])
            traced = interrupt.__traceback__ is not None
        # The interpreter is whole: the next fit works, and no thread of the engine is left.
        print(pw.NMF(2, max_iter=3, tol=0).fit(X).n_iter_, traced, threading.active_count())
    """
    script = f"WORK = {BUSY[what]!r}\n{textwrap.dedent(script)}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    waited, left = done.stdout.splitlines()
    # Looked for every 20 ms, heard between chunks of work. Counted in the work that is still done, so that a
    # busy machine doesn't matter: a fifth of a second of each of two threads at most.
    assert float(waited) < 0.4 and left == "3 True 1", done.stdout


def test_callbacks_come_in_the_thread_that_called():
    names = []
    pw.NMF(5, max_iter=3, tol=0, callback=lambda it: names.append(threading.current_thread())).fit(X)
    assert names == [threading.current_thread()] * 4


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


def test_verbose_shows_the_phases_of_the_classifier_before_a_guided_fit(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    blobs = np.abs(np.random.default_rng(0).normal(size=(60, 6)))
    blobs[np.arange(60), np.arange(60) % 3] += 5
    y = np.where(np.arange(60) < 15, np.arange(60) % 3, -1)
    seen = []
    pw.GuidedNMF(random_state=0, verbose=1, spread="on", callback=seen.append).fit(blobs, y)
    lines = capsys.readouterr().out.splitlines()
    phases = [line for line in lines if "% done" in line]
    assert phases and lines[: len(phases)] == phases and all(line.startswith("GuidedNMF: ") for line in phases)
    assert all(isinstance(report, pw.Iteration) for report in seen)


def test_the_handler_of_ctrl_c_stays_what_it_was():
    before = signal.getsignal(signal.SIGINT)
    pw.NMF(3, random_state=0, max_iter=5, tol=0).fit(X)
    assert signal.getsignal(signal.SIGINT) is before


def test_verbose_shows_a_bar_where_tqdm_is_there(capsys):
    pytest.importorskip("tqdm")
    pw.NMF(3, random_state=0, max_iter=20, tol=0, verbose=1).fit(X)
    shown = capsys.readouterr().err
    assert "NMF" in shown and "20/20" in shown and "objective=" in shown


def test_a_bar_is_short_and_full_at_the_end_of_a_fit_that_converges(capsys):
    pytest.importorskip("tqdm")
    model = pw.NMF(3, random_state=0, max_iter=100_000, tol=1e-5, verbose=1).fit(X)
    lines = capsys.readouterr().err.strip().split("\r")
    assert model.n_iter_ < 100_000 and f"{model.n_iter_}/{model.n_iter_}" in lines[-1] and "100%" in lines[-1]
    # At most two a second, whatever the number of iterations.
    assert len(lines) <= 3 + 2 * model.history_["elapsed"][-1] and not any("100%" in line for line in lines[:-1])
