"""Ctrl-C, and other threads while work is done."""

from __future__ import annotations

import os
import signal
import threading
import time
import unittest

import narrows
from support import ENDLESS


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def setUpModule() -> None:
    """A process that a shell starts in the background ignores Ctrl-C, and so would these tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Signals(unittest.TestCase):
    def test_ctrl_c_ends_a_run_with_what_was_found(self) -> None:
        model = narrows.load("endless.pml", text=ENDLESS)
        begin = time.monotonic()
        timer = interrupt_after(0.5)
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.explore(time=60, memory="4G")
        timer.join()
        self.assertLess(time.monotonic() - begin, 20)
        stopped = caught.exception
        assert isinstance(stopped, narrows.Interrupted)
        result = stopped.result
        self.assertFalse(result.complete)
        self.assertGreater(result.states, 1000)
        # It is undecided, and neither holds nor fails.
        self.assertEqual(result.status, 2)

    def test_ctrl_c_leaves_questions_undecided(self) -> None:
        model = narrows.load("endless.pml", text=ENDLESS)
        timer = interrupt_after(0.5)
        with self.assertRaises(narrows.Interrupted) as caught:
            model.check(time=60, memory="4G")
        timer.join()
        result = caught.exception.result
        self.assertIn("deadlock", [answer.kind for answer in result.undecided])

    def test_the_next_run_is_not_interrupted(self) -> None:
        self.test_ctrl_c_ends_a_run_with_what_was_found()
        self.assertTrue(narrows.load("a.pml", text="init { skip }").check().holds)

    def test_ctrl_c_ends_a_random_run(self) -> None:
        session = narrows.load("endless.pml", text=ENDLESS).simulate()
        timer = interrupt_after(0.3)
        with self.assertRaises(KeyboardInterrupt):
            session.random(10**9)
        timer.join()
        self.assertGreater(session.position, 10)

    def test_other_threads_go_on(self) -> None:
        """A counter in another thread moves while the search runs: Python's lock is free."""
        counted, is_over = [0], threading.Event()

        def count() -> None:
            while not is_over.is_set():
                counted[0] += 1
                time.sleep(0.005)

        thread = threading.Thread(target=count)
        thread.start()
        narrows.load("endless.pml", text=ENDLESS).explore(time=1, memory="4G", threads=1)
        is_over.set()
        thread.join()
        self.assertGreater(counted[0], 30)

    def test_several_threads_search_at_the_same_time(self) -> None:
        results: list[narrows.CheckResult] = []

        def search() -> None:
            results.append(narrows.load("endless.pml", text=ENDLESS).explore(time=0.5, memory="1G", threads=1))

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([result.complete for result in results], [False] * 3)


if __name__ == "__main__":
    unittest.main()
