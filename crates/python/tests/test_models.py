"""Reading models, checking them, visiting states."""

from __future__ import annotations

import json
import pickle
import tempfile
import unittest
from pathlib import Path

import narrows
from support import COUNTER, ENDLESS, EXAMPLES


class Reading(unittest.TestCase):
    def test_a_file_and_a_text_are_the_same_model(self) -> None:
        path = EXAMPLES / "mutex" / "peterson.pml"
        of_file = narrows.load(path).explore()
        of_text = narrows.load("peterson.pml", text=path.read_text()).explore()
        self.assertEqual((of_file.states, of_file.transitions), (of_text.states, of_text.transitions))
        self.assertGreater(of_file.states or 0, 10)

    def test_languages_are_known_by_endings(self) -> None:
        self.assertEqual(narrows.load("counter.smv", text=COUNTER).language, "SMV")
        self.assertEqual(narrows.load("a.pml", text="init { skip }").language, "Promela")

    def test_an_error_has_messages_with_places(self) -> None:
        text = "init {\n  byte count;\n  cuont = 1;\n  other = 2\n}\n"
        with self.assertRaises(narrows.InputError) as caught:
            narrows.load("typo.pml", text=text)
        first, second = caught.exception.diagnostics
        self.assertEqual((first.code, first.severity), ("P0201", "error"))
        self.assertEqual((first.file, first.line, first.column), ("typo.pml", 3, 3))
        self.assertEqual(first.help, "did you mean `count`?")
        self.assertEqual(second.line, 4)
        self.assertIn("cuont = 1", str(caught.exception))
        self.assertIn("did you mean `count`?", str(caught.exception))
        self.assertIn("P0201", narrows.explain(first.code))

    def test_an_error_can_be_sent_to_other_processes(self) -> None:
        with self.assertRaises(narrows.InputError) as caught:
            narrows.load("typo.pml", text="init { x = 1 }")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(copy.diagnostics, caught.exception.diagnostics)
        self.assertEqual(str(copy), str(caught.exception))

    def test_a_missing_file_is_what_python_says_of_it(self) -> None:
        with self.assertRaises(FileNotFoundError):
            narrows.load("no_such_model.pml")

    def test_included_files_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "n.h").write_text("#define N 3\n")
            text = '#include "n.h"\nbyte x; init { x = N; assert(x == 3) }'
            beside = narrows.load(Path(folder) / "a.pml", text=text).check()
            named = narrows.load("a.pml", text=text, include=[folder]).check()
            self.assertTrue(beside.holds and named.holds)
        with self.assertRaises(narrows.InputError):
            narrows.load("a.pml", text=text)

    def test_constants_can_be_defined(self) -> None:
        text = "byte x; init { do :: x < N -> x++ :: else -> break od }"
        few = narrows.load("n.pml", text=text, define={"N": 3}).explore()
        many = narrows.load("n.pml", text=text, define=["N=30"]).explore()
        self.assertEqual((many.states or 0) - (few.states or 0), 54)

    def test_what_is_odd_is_a_warning(self) -> None:
        model = narrows.load("w.pml", text="init { byte x; x = 300 }")
        self.assertTrue(all(one.severity == "warning" for one in model.warnings))


class Checking(unittest.TestCase):
    def test_everything_holds(self) -> None:
        result = narrows.load(EXAMPLES / "mutex" / "peterson.pml").check()
        self.assertTrue(result.holds)
        self.assertEqual(result.status, 0)
        self.assertTrue(all(answer.holds for answer in result))
        self.assertEqual(result.failures, ())

    def test_a_counterexample_is_a_run_with_places(self) -> None:
        result = narrows.load("x.pml", text="byte x;\nactive proctype P() {\n  x = 1;\n  assert(x == 2)\n}").check()
        self.assertEqual(result.status, 1)
        answer = result["assertion"]
        self.assertTrue(answer.fails and answer.shortest)
        assert answer.trace is not None
        self.assertEqual(len(answer.trace), 2)
        first = answer.trace[0]
        self.assertEqual((first.moves[0].process, first.moves[0].pid, first.moves[0].line), ("P", 0, 3))
        self.assertEqual((first.changes[0].name, first.changes[0].before, first.changes[0].after), ("x", "0", "1"))
        self.assertEqual(answer.line, 4)

    def test_an_endless_run_has_a_cycle_and_propositions(self) -> None:
        text = "bit x; active proctype P() { do :: x = 1 - x od }"
        answer = narrows.load("x.pml", text=text).check(ltl="<> [] (x == 1)").answer("ltl")
        assert answer.trace is not None
        self.assertIsNotNone(answer.trace.cycle)
        values = answer.trace.atoms["x == 1"]
        self.assertEqual(len(values), len(answer.trace) + 1)

    def test_formulas_and_names_choose_what_is_answered(self) -> None:
        model = narrows.load("counter.smv", text=COUNTER)
        result = model.check()
        self.assertTrue(result["AG n < 4"].holds and result["AG n < 3"].fails)
        only = model.check(ctl="EF n = 2", only="ctl")
        self.assertEqual(only.answers[-1].name, "EF n = 2")
        self.assertTrue(only.answers[-1].holds)
        with self.assertRaises(narrows.ArgumentError) as caught:
            model.check(only="AG n < 9")
        self.assertIn("there is no question", str(caught.exception))

    def test_a_wrong_formula_has_a_place(self) -> None:
        with self.assertRaises(narrows.InputError) as caught:
            narrows.load("counter.smv", text=COUNTER).check(ltl="G (m < 3)")
        self.assertEqual(caught.exception.diagnostics[0].severity, "error")

    def test_engines_agree_and_unknown_ones_are_named(self) -> None:
        model = narrows.load("counter.smv", text=COUNTER)
        result = model.check(engine="symbolic")
        self.assertTrue(result["AG n < 4"].holds and result["AG n < 3"].fails)
        with self.assertRaises(narrows.ArgumentError) as caught:
            model.check(engine="magic")
        self.assertIn("unknown engine `magic`", str(caught.exception))
        with self.assertRaises(narrows.RefusedError):
            model.explore(engine="native")

    def test_the_document_is_that_of_the_program(self) -> None:
        result = narrows.load(EXAMPLES / "mutex" / "broken.pml").explore()
        self.assertEqual((result.states, result.transitions, result.depth), (36, 64, 11))
        self.assertEqual(result.violations[0].kind, "assertion")
        self.assertEqual((result.violations[0].line, result.violations[0].count), (21, 4))
        self.assertEqual(result.document["schema"], 1)
        self.assertTrue(result.complete)

    def test_reports_are_written_to_files(self) -> None:
        result = narrows.load(EXAMPLES / "mutex" / "broken.pml").check()
        with tempfile.TemporaryDirectory() as folder:
            for name, part in [("a.html", "<html"), ("a.json", '"schema"'), ("a.txt", "assertion")]:
                result.save(Path(folder) / name)
                self.assertIn(part, (Path(folder) / name).read_text())
            document = json.loads((Path(folder) / "a.json").read_text())
            self.assertEqual(document, result.document)
            with self.assertRaises(narrows.ArgumentError):
                result.save(Path(folder) / "a.pdf")

    def test_notebooks_show_tables_without_markup_of_models(self) -> None:
        text = 'ltl p { [] (x < 3) } byte x; init { x = 5; printf("<script>") }'
        result = narrows.load("<b>.pml", text=text).check()
        shown = result._repr_html_()
        self.assertIn("&lt;b&gt;.pml", shown)
        self.assertNotIn("<b>", shown)
        self.assertIn("<CheckResult", repr(result))
        self.assertIn("<table>", result["p"]._repr_html_())


class Limits(unittest.TestCase):
    def test_a_limit_of_time_is_undecided(self) -> None:
        result = narrows.load("endless.pml", text=ENDLESS).explore(time=0.3, memory="2G")
        self.assertFalse(result.complete)
        self.assertLess(result.seconds, 5)
        self.assertEqual(result.status, 2)
        self.assertGreater(result.states or 0, 1000)
        checked = narrows.load("endless.pml", text=ENDLESS).check(time="300ms", memory="2G")
        self.assertIn("deadlock", [answer.kind for answer in checked.undecided])
        self.assertFalse(checked.holds)

    def test_a_limit_of_memory_is_undecided(self) -> None:
        result = narrows.load("endless.pml", text=ENDLESS).explore(memory="50M", time="2m")
        self.assertFalse(result.complete)
        self.assertIn("memory", result.reason or "")

    def test_a_graph_that_does_not_fit_is_an_error(self) -> None:
        with self.assertRaises(narrows.LimitError):
            narrows.load("endless.pml", text=ENDLESS).graph(time=0.3, memory="2G")

    def test_wrong_limits_are_refused(self) -> None:
        model = narrows.load("a.pml", text="init { skip }")
        for limit in ({"time": "soon"}, {"time": -1}, {"time": float("nan")}, {"memory": "4"}, {"memory": "4X"}):
            with self.assertRaises(narrows.ArgumentError, msg=str(limit)):
                model.check(**limit)  # type: ignore[arg-type]
        with self.assertRaises(narrows.ArgumentError):
            model.check(threads=0)

    def test_progress_is_told(self) -> None:
        seen: list[narrows.Progress] = []
        narrows.load("endless.pml", text=ENDLESS).explore(time=1, memory="4G", progress=seen.append)
        self.assertGreater(len(seen), 2)
        self.assertGreater(seen[-1].states, seen[0].states)

    def test_what_a_function_raises_ends_the_work(self) -> None:
        def stop(_: narrows.Progress) -> None:
            raise LookupError("enough")

        with self.assertRaises(LookupError):
            narrows.load("endless.pml", text=ENDLESS).explore(time=60, memory="4G", progress=stop)


if __name__ == "__main__":
    unittest.main()
