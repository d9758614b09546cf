//! Compares with SPIN on random models: a quick run; `compare --seeds 1..5000 --shrink` makes the long one.

use narrows_tests::compare::{Summary, Verdict, compare_text};
use narrows_tests::seeds::seeds;
use narrows_tests::spin::{self, Limits};
use narrows_tests::{generator, shrink};

#[test]
fn narrows_agrees_with_spin_on_random_models() {
    if !spin::installed() {
        assert!(std::env::var_os("CI").is_none(), "there is no `spin` here");
        eprintln!("skipped: there is no `spin` here");
        return;
    }
    let mut summary = Summary::default();
    let limits = Limits::quick();
    let seeds = seeds(150);
    for seed in seeds.clone() {
        let model = generator::generate_with_long_sequences(seed);
        let verdict = compare_text(&model.to_string(), &limits).expect("both tools run");
        summary.add(&verdict);
        if let Verdict::Differed(why) = verdict {
            let small = shrink::shrink(&model, 300, |model| {
                matches!(compare_text(&model.to_string(), &limits), Ok(Verdict::Differed(_)))
            });
            let small_why = compare_text(&small.to_string(), &limits);
            panic!("seed {seed}: {why}\n\nreduced: {small_why:?}\n{small}");
        }
    }
    eprintln!("{summary}");
    // Where the machine is busy, SPIN does not get through with some of them.
    assert!(summary.agreed > seeds.count() / 2, "{summary}");
}
