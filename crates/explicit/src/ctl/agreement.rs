//! Formulas that say the same in both logics get the same answer from both engines.

use narrows_graph::Random;
use narrows_logic::{Ctl, Ltl, Paths};
use narrows_model::{Atom, Binary, Claim, Evaluator, Expr, Property, Question, Statement, System, Verdict};
use narrows_source::Span;

use crate::samples::{binary, global, load, proctype, system, when};
use crate::{Budget, Engine, Options, SearchScope, Unwatched, check};

/// Two processes that count two variables round, wait for values, and may end or block.
fn random_system(random: &mut Random) -> System {
    let kinds = (0..2).map(|_| {
        let edges = (0..2 + random.below(4)).map(|_| {
            let variable = random.below(2) as u32;
            let next = binary(Binary::Add, load(variable), Expr::Constant(1));
            let next = binary(Binary::Remainder, next, Expr::Constant(3));
            let statement = match random.below(9) {
                0 | 1 => when(Binary::Equal, variable, random.below(3) as i32),
                // Divides by zero now and then: such a step leads nowhere.
                2 => {
                    let faulty = binary(Binary::Divide, Expr::Constant(2), load(variable));
                    Statement::Assign(global(1 - variable), faulty)
                }
                3 | 4 => Statement::Assign(global(variable), Expr::Constant(random.below(3) as i32)),
                _ => Statement::Assign(global(variable), next),
            };
            (random.below(3) as u16, random.below(3) as u16, statement)
        });
        edges.collect()
    });
    let kinds: Vec<Vec<(u16, u16, Statement)>> = kinds.collect();
    system(2, 2, None, kinds.into_iter().map(|edges| proctype("p", edges)).collect())
}

fn atom(random: &mut Random) -> Atom {
    let (variable, value) = (random.below(2) as u32, random.below(3) as i32);
    let expr = binary(Binary::Equal, load(variable), Expr::Constant(value));
    Atom { expr, text: format!("g{variable} == {value}"), span: Span::default() }
}

/// Returns formulas that say the same of two propositions, or of their opposites.
fn pairs(p: &Atom, q: &Atom) -> Vec<(Ctl<Atom>, Ltl<Atom>)> {
    let ctl = |atom: &Atom| Box::new(Ctl::Atom(atom.clone()));
    let ltl = |atom: &Atom| Box::new(Ltl::Atom(atom.clone()));
    let all = Paths::All;
    let response = Ctl::Implies(ctl(p), Box::new(Ctl::Eventually(all, ctl(q))));
    let ltl_response = Ltl::Implies(ltl(p), Box::new(Ltl::Eventually(ltl(q))));
    let recurrence = Ctl::Eventually(all, ctl(p));
    vec![
        (Ctl::Always(all, ctl(p)), Ltl::Always(ltl(p))),
        (Ctl::Always(all, Box::new(Ctl::Not(ctl(p)))), Ltl::Always(Box::new(Ltl::Not(ltl(p))))),
        (Ctl::Eventually(all, ctl(p)), Ltl::Eventually(ltl(p))),
        (Ctl::Next(all, ctl(p)), Ltl::Next(ltl(p))),
        (Ctl::Until(all, ctl(p), ctl(q)), Ltl::Until(ltl(p), ltl(q))),
        (Ctl::WeakUntil(all, ctl(p), ctl(q)), Ltl::WeakUntil(ltl(p), ltl(q))),
        (Ctl::Always(all, Box::new(response)), Ltl::Always(Box::new(ltl_response))),
        (Ctl::Always(all, Box::new(recurrence)), Ltl::Always(Box::new(Ltl::Eventually(ltl(p))))),
        // Some path is not all paths without.
        (
            Ctl::Not(Box::new(Ctl::Until(Paths::Some, ctl(p), ctl(q)))),
            Ltl::Not(Box::new(Ltl::Until(ltl(p), ltl(q)))),
        ),
        (Ctl::Not(Box::new(Ctl::Always(Paths::Some, ctl(p)))), Ltl::Not(Box::new(Ltl::Always(ltl(p))))),
    ]
}

#[test]
fn both_logics_agree_on_what_both_can_say() {
    let (mut holds, mut fails) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let mut system = random_system(&mut random);
        let (p, q) = (atom(&mut random), atom(&mut random));
        for (ctl, ltl) in pairs(&p, &q) {
            for claim in [Claim::Ctl(ctl), Claim::Ltl(ltl)] {
                system.properties.push(Property { name: String::new(), claim, span: Span::default() });
            }
        }
        let questions: Vec<Question> = Question::all(&system)
            .into_iter()
            .filter(|question| matches!(question, Question::Property { .. }))
            .collect();
        let budget = Budget::unlimited(Unwatched);
        let options = Options { runs: 1, ..Options::default() };
        let scope = SearchScope::within(&budget);
        let checked =
            check(&Engine::automatic(Evaluator::new(&system)), &questions, &options, &scope).unwrap();
        let answers: Vec<_> = checked.answers().collect();
        for (pair, claims) in answers.chunks(2).zip(system.properties.chunks(2)) {
            match (&pair[0].verdict, &pair[1].verdict) {
                (Verdict::Holds, Verdict::Holds) => holds += 1,
                (Verdict::Fails { .. }, Verdict::Fails { .. }) => fails += 1,
                other => panic!("seed {seed}: {:?}\n{other:?}", claims[0].claim),
            }
        }
    }
    assert!(holds > 1000 && fails > 5000, "{holds} hold, {fails} fail");
}
