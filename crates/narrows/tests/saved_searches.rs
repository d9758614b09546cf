//! Searches of labelled systems that are cut short, saved, and go on.

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use narrows::{
    Budget, CheckOptions, CheckpointError, Checkpoints, ExploreOptions, Limit, Model, NoFiles, Options,
    Progress, Unwatched, Watch, answer, explore, read,
};

/// Counters beside each other: 51³ states, and the last of them is stuck.
const COUNTERS: &str = "specification s [a, b, c] : noexit library NaturalNumber endlib
behaviour p [a] (0) ||| p [b] (0) ||| p [c] (0)
where process p [a] (n : Nat) : noexit := [n lt 50] -> a; p [a] (n + 1) endproc endspec";

/// Keeps a search in memory.
#[derive(Default)]
struct Kept {
    bytes: Mutex<Vec<u8>>,
    loaded: AtomicU32,
}

impl Checkpoints for Kept {
    fn is_due(&self) -> bool {
        false
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory takes everything");
        *self.bytes.lock().expect("nobody panics") = bytes;
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        let bytes = self.bytes.lock().expect("nobody panics").clone();
        (!bytes.is_empty()).then(|| Box::new(io::Cursor::new(bytes)) as Box<dyn Read>)
    }

    fn loaded(&self, result: Result<Progress, CheckpointError>) {
        result.expect("what was saved");
        self.loaded.fetch_add(1, Ordering::Relaxed);
    }
}

/// Stops when it has been asked some times.
struct Impatient(AtomicU32);

impl Watch for Impatient {
    fn check(&self, _: &Progress) -> Option<Limit> {
        (self.0.fetch_add(1, Ordering::Relaxed) > 40).then_some(Limit::Interrupted)
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

fn model() -> Model {
    read("s.lotos", COUNTERS.to_owned(), &NoFiles, &Options::default()).expect("a model").model
}

fn budget(watch: impl Watch + 'static) -> Budget {
    Budget { memory: 1 << 30, threads: 2, ..Budget::unlimited(watch) }
}

#[test]
fn what_is_cut_short_again_and_again_ends_as_in_one_go() {
    let (model, kept) = (model(), Kept::default());
    let options = CheckOptions { checkpoints: Some(&kept), ..CheckOptions::default() };
    let mut rounds = 0;
    let checked = loop {
        let watch = budget(Impatient(AtomicU32::new(0)));
        let checked = answer(&model, &model.questions(), &options, &watch).expect("answers");
        if checked.limit.is_none() {
            break checked;
        }
        assert_eq!(checked.limit, Some(Limit::Interrupted));
        assert!(checked.replies.iter().all(|reply| reply.limit().is_some()), "{:?}", checked.replies);
        rounds += 1;
        assert!(rounds < 10_000);
    };
    assert!(rounds >= 2, "the model is too small");
    assert_eq!(kept.loaded.load(Ordering::Relaxed), rounds);
    let plain = answer(&model, &model.questions(), &CheckOptions::default(), &budget(Unwatched));
    let plain = plain.expect("answers");
    let runs = |checked: &narrows::Checked| -> Vec<usize> {
        let length = |answer: &narrows::Answer| match &answer.verdict {
            narrows::Verdict::Fails { trace, .. } => trace.steps.len(),
            other => panic!("{other:?}"),
        };
        checked.answers().map(length).collect()
    };
    assert_eq!(runs(&checked), [150]);
    assert_eq!(runs(&checked), runs(&plain));
    assert_eq!(
        (checked.coverage.states, checked.coverage.transitions),
        (plain.coverage.states, plain.coverage.transitions)
    );
}

#[test]
fn states_are_counted_as_in_one_go() {
    let (model, kept) = (model(), Kept::default());
    let options = ExploreOptions { checkpoints: Some(&kept), ..ExploreOptions::default() };
    let cut = explore(&model, &options, &budget(Impatient(AtomicU32::new(0)))).expect("counts");
    assert_eq!(cut.limit, Some(Limit::Interrupted));
    assert!(cut.coverage.states < 51 * 51 * 51);
    let whole = explore(&model, &options, &budget(Unwatched)).expect("counts");
    let plain = explore(&model, &ExploreOptions::default(), &budget(Unwatched)).expect("counts");
    assert_eq!(whole.limit, None);
    assert_eq!((whole.coverage.states, plain.coverage.states), (51 * 51 * 51, 51 * 51 * 51));
    assert_eq!(whole.coverage.transitions, plain.coverage.transitions);
    assert_eq!(whole.problems, plain.problems);
}

/// A formula needs the whole graph, and says so.
#[test]
fn formulas_are_refused() {
    let formula = narrows::Formula {
        logic: narrows::Logic::Mu,
        text: "<true> true".to_owned(),
        origin: "--mu".to_owned(),
    };
    let options = Options { formulas: vec![formula], ..Options::default() };
    let model = read("s.lotos", COUNTERS.to_owned(), &NoFiles, &options).expect("a model").model;
    let kept = Kept::default();
    let options = CheckOptions { checkpoints: Some(&kept), ..CheckOptions::default() };
    let budget = budget(Impatient(AtomicU32::new(0)));
    let checked = answer(&model, &model.questions(), &options, &budget).expect("answers");
    let refused = checked.answers().filter(|answer| matches!(answer.verdict, narrows::Verdict::Refused(_)));
    assert_eq!(refused.count(), 1);
}
