"""Simulation: steps, back, state, replay."""

from __future__ import annotations

import unittest

import narrows
from support import COUNTER, EXAMPLES

TWO = "byte x;\nactive proctype P() { x = 1; x = 2 }\nactive proctype Q() { x == 2; printf(\"done\\n\") }"


class Sessions(unittest.TestCase):
    def test_steps_lead_forwards_and_backwards(self) -> None:
        session = narrows.load("two.pml", text=TWO).simulate()
        self.assertEqual(session.state["x"], "0")
        self.assertEqual(len(session.steps), 1)
        self.assertEqual((session.steps[0].process, session.steps[0].line), ("P", 2))
        session.step(0).step("x = 2")
        self.assertEqual((session.position, session.state["x"]), (2, "2"))
        session.back()
        self.assertEqual((session.position, session.state["x"]), (1, "1"))
        session.forward()
        self.assertEqual(session.state["x"], "2")
        session.jump(0)
        self.assertEqual(session.state["x"], "0")
        self.assertEqual(session.position, 0)

    def test_a_step_that_is_not_there_is_an_error(self) -> None:
        session = narrows.load("two.pml", text=TWO).simulate()
        for choice in (7, -1, "y = 3"):
            with self.assertRaises(narrows.ArgumentError, msg=str(choice)):
                session.step(choice)
        self.assertEqual(session.position, 0)

    def test_why_not_says_what_is_waited_for(self) -> None:
        session = narrows.load("two.pml", text=TWO).simulate()
        reasons = session.why_not()
        self.assertTrue(any("x == 2" in one.what or "x == 2" in one.reason for one in reasons), reasons)

    def test_a_random_run_ends_and_prints(self) -> None:
        session = narrows.load("two.pml", text=TWO).simulate(seed=7)
        self.assertEqual(session.random(100), "ended")
        self.assertEqual(session.status, "ended")
        self.assertIn("done", session.output)
        self.assertEqual(narrows.load("two.pml", text=TWO).simulate(seed=7).random(1), "count")

    def test_a_counterexample_is_replayed(self) -> None:
        model = narrows.load(EXAMPLES / "mutex" / "broken.pml")
        answer = model.check().answer("assertion")
        assert answer.trace is not None
        session = model.simulate().replay(answer.trace)
        self.assertEqual(session.position, len(answer.trace))
        self.assertIn("assertion", session.wrong or "")
        again = session.trace()
        self.assertEqual([step.text for step in again], [step.text for step in answer.trace])
        other = narrows.load("two.pml", text=TWO).simulate()
        with self.assertRaises(narrows.RefusedError):
            other.replay(answer.trace)

    def test_synchronous_models_too(self) -> None:
        session = narrows.load("counter.smv", text=COUNTER).simulate()
        while session.position == 0 and not session.entries:
            session.step(0)
        first = session.state.get("n")
        session.step(0)
        self.assertNotEqual(session.state.get("n"), first)
        self.assertIn("<Session", repr(session))
        self.assertIn("<table>", session._repr_html_())

    def test_a_model_without_a_first_state_is_refused(self) -> None:
        with self.assertRaises(narrows.RefusedError):
            narrows.load("none.smv", text="MODULE main VAR x : boolean; INIT x INIT !x").simulate()

    def test_many_sessions_live_side_by_side(self) -> None:
        model = narrows.load("two.pml", text=TWO)
        sessions = [model.simulate(seed=seed) for seed in range(20)]
        for number, session in enumerate(sessions):
            session.random(number % 3)
        self.assertEqual([session.position for session in sessions[:3]], [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
