"""Studies: figures, sweeps, bottlenecks, chains."""

from __future__ import annotations

import unittest
from typing import Any

import narrows
from support import EXAMPLES, QUEUE, STUDY, has, throughput


def study(**changes: Any) -> narrows.Study:
    return narrows.load_study("queue.toml", text=STUDY, model=("queue.pml", QUEUE), **changes)


class Measuring(unittest.TestCase):
    def test_figures_are_those_of_the_textbook(self) -> None:
        result = study().measure()
        answer = result.answer("throughput", view="stochastic")
        assert answer.value is not None
        self.assertAlmostEqual(float(answer), throughput(1, 0.5), places=6)
        self.assertLessEqual(answer.value.low, throughput(1, 0.5) + 1e-12)
        self.assertGreaterEqual(answer.value.high, throughput(1, 0.5) - 1e-12)
        self.assertEqual(answer.value.unit, "1/s")
        self.assertTrue(result.holds)
        self.assertEqual(len(result.sweep), 0)
        self.assertEqual(result.views[0].view, "stochastic")

    def test_what_if_changes_a_delay_or_a_constant(self) -> None:
        changed = study().what_if("server:serve = 2")
        self.assertAlmostEqual(float(changed.measure()["throughput"]), throughput(1, 2), places=6)
        self.assertIn("server:serve", changed.name)
        with self.assertRaises(narrows.ArgumentError):
            study().what_if("server:sevre = 2")

    def test_a_file_finds_its_model(self) -> None:
        read = narrows.load_study(EXAMPLES / "queues" / "tandem.toml")
        self.assertEqual(read.title, "Tandem queue")
        self.assertIn("through", read.events)
        few = narrows.load_study(EXAMPLES / "queues" / "tandem.toml", define={"C": 2})
        self.assertLess(few.measure().views[0].states, read.measure().views[0].states)
        self.assertEqual(few.model.language, "Promela")

    def test_errors_have_places_in_the_study(self) -> None:
        with self.assertRaises(narrows.InputError) as caught:
            narrows.load_study("q.toml", text=STUDY.replace("server:serve", "server:sevre"), model=("queue.pml", QUEUE))
        first = caught.exception.diagnostics[0]
        self.assertEqual(first.file, "q.toml")
        self.assertIsNotNone(first.line)
        with self.assertRaises(narrows.InputError) as missing:
            narrows.load_study("q.toml", text=STUDY)
        self.assertIn("queue.pml", str(missing.exception))

    def test_an_expectation_that_fails_is_a_failure(self) -> None:
        text = STUDY.replace('throughput = "done"', 'throughput = "done"\nexpect = 3')
        result = narrows.load_study("q.toml", text=text, model=("queue.pml", QUEUE)).measure()
        self.assertEqual(result.status, 1)
        self.assertFalse(result.failures[0].met)

    def test_a_limit_is_undecided(self) -> None:
        result = study().measure(memory=0, engine="exact")
        self.assertEqual(result.status, 2)
        self.assertTrue(all(answer.undecided for answer in result))


class Sweeping(unittest.TestCase):
    def test_each_combination_is_a_point(self) -> None:
        points = study().sweep()
        self.assertEqual(len(points), 3)
        self.assertEqual(points.varied, ["server:serve"])
        for point, service in zip(points, (0.5, 1, 2)):
            self.assertAlmostEqual(float(point["throughput"]), throughput(1, service), places=6)
        rows = points.rows()
        self.assertEqual([row["server:serve"] for row in rows if row["kind"] == "throughput"], [0.5, 1, 2])
        self.assertIn("<table>", points._repr_html_())

    def test_a_study_that_varies_nothing_says_so(self) -> None:
        text = STUDY.split("[sweep]")[0]
        with self.assertRaises(narrows.ArgumentError):
            narrows.load_study("q.toml", text=text, model=("queue.pml", QUEUE)).sweep()

    @unittest.skipUnless(has("pandas"), "pandas is not there")
    def test_frames_of_pandas(self) -> None:
        frame = study().sweep().to_pandas()
        means = frame[frame["kind"] == "throughput"].set_index("server:serve")["low"]
        self.assertAlmostEqual(means[2.0], throughput(1, 2), places=6)
        result = study().measure()
        self.assertEqual(len(result.to_pandas()), len(result))

    @unittest.skipUnless(has("polars"), "polars is not there")
    def test_frames_of_polars(self) -> None:
        points = study().sweep()
        frame = points.to_polars()
        self.assertEqual(frame.height, sum(len(point.answers) for point in points))
        self.assertIn("server:serve", frame.columns)

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not there")
    def test_figures_of_matplotlib(self) -> None:
        axes = study().sweep().plot("throughput")
        drawn = axes.get_lines()[0].get_xydata().tolist()
        self.assertEqual([place for place, _ in drawn], [0.5, 1, 2])
        self.assertAlmostEqual(drawn[2][1], throughput(1, 2), places=6)
        with self.assertRaises(narrows.ArgumentError):
            study().sweep().plot("throughput", x="speed")


class Bottlenecks(unittest.TestCase):
    def test_the_slower_one_is_the_bottleneck(self) -> None:
        found = narrows.load_study(EXAMPLES / "nvme" / "nvme.toml").bottleneck()
        flow = found.flow("read")
        self.assertEqual(flow.bottleneck, ("flash",))
        self.assertTrue(found.findings)
        self.assertTrue(flow.cases and flow.cases[0].bars)
        self.assertGreater(max(change.gain or 0 for change in flow.changes), 0.01)
        self.assertTrue(all(svg.startswith("<svg") for svg in found.charts().values()))
        self.assertIn("<svg", found._repr_html_())
        if has("matplotlib"):
            labels = [label.get_text() for label in found.plot("read").get_yticklabels()]
            self.assertIn("flash", labels)
            self.assertTrue(flow.plot_changes().patches)
            self.assertTrue(found.plot_distribution("a read", view="stochastic").get_lines())


class Chains(unittest.TestCase):
    def test_a_chain_is_rows_columns_and_rates(self) -> None:
        chain = study().chain().chain()
        self.assertEqual(len(chain), 4)
        moves = sorted(zip(map(int, chain.rows), map(int, chain.columns), map(float, chain.rates)))
        self.assertEqual(len(moves), 6)
        self.assertEqual(sorted(rate for _, _, rate in moves), [1, 1, 1, 2, 2, 2])
        self.assertEqual(sum(chain.start()), 1)
        self.assertFalse(chain.has_choices)

    @unittest.skipUnless(has("scipy"), "SciPy is not there")
    def test_numpy_solves_it_to_the_same_throughput(self) -> None:
        import numpy

        chain = study().chain().chain()
        generator = chain.generator().toarray()
        equations = numpy.vstack([generator.T, numpy.ones(len(chain))])
        wanted = numpy.zeros(len(chain) + 1)
        wanted[-1] = 1
        shares = numpy.linalg.lstsq(equations, wanted, rcond=None)[0]
        self.assertAlmostEqual(float(shares @ chain.frequencies["done"]), throughput(1, 0.5), places=9)
        steady = study().chain().steady()
        self.assertTrue(steady)

    def test_a_graph_is_arrays_of_edges(self) -> None:
        graph = narrows.load("x.pml", text="byte x; init { do :: x < 3 -> x++ :: else -> break od }").graph()
        self.assertEqual(len(graph.sources), len(graph.targets))
        self.assertEqual(len(graph), len(graph.edge_labels))
        self.assertLess(max(int(target) for target in graph.targets), graph.states)
        again = narrows.load_graph("x.aut", text=graph.to_aut())
        self.assertEqual((again.states, len(again)), (graph.states, len(graph)))

    def test_a_wrong_graph_is_refused(self) -> None:
        with self.assertRaises(narrows.ArgumentError) as caught:
            narrows.load_graph("x.aut", text="des (0, 1, 2)\n(0, a)\n")
        self.assertIn("x.aut", str(caught.exception))

    def test_a_study_of_steps_has_no_chain(self) -> None:
        text = 'model = "c.smv"\n[[ask]]\nmax_delay = { from = "n = 0", to = "n = 2" }\n'
        model = "MODULE main VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4;"
        steps = narrows.load_study("c.toml", text=text, model=("c.smv", model))
        self.assertEqual(float(steps.measure()[0]), 2)
        with self.assertRaises(narrows.RefusedError):
            steps.chain()


if __name__ == "__main__":
    unittest.main()
