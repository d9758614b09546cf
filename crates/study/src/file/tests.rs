//! Study files, right and wrong.

use narrows_performance::{Delay, Time};
use narrows_source::{Diagnostics, Sources};

use super::{Expect, Question, Study, read};

fn study(text: &str) -> (Study, Vec<String>) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("study.toml", text);
    let study = read(&sources, file, &mut diagnostics);
    let messages = diagnostics.sorted();
    let say = |message: &narrows_source::Diagnostic| {
        let help = message.help.as_deref().unwrap_or("");
        format!("{} {} [{}] {help}", message.code, message.title, sources.text(message.primary.span))
    };
    (study, messages.iter().map(say).collect())
}

fn constants(study: &Study) -> Vec<(String, String)> {
    study.constants.iter().map(|(name, value)| (name.text.clone(), value.clone())).collect()
}

#[test]
fn everything_is_read() {
    let text = r#"
title = "A study"
model = "m.pml"
unit = "us"
[constant]
N = 3
FAST = true
[define]
BUSY = "x > 0"
[delay]
"p:a" = { fixed = 1.5 }
"p:b" = { between = [1, "2 ms"] }
"p:c" = { exponential = 10, times = "x" }
"p:d" = { erlang = 10, stages = 4 }
"p:e" = 1
"p:f" = "2.5 ms"
[weight]
"p:e" = [1, 3]
[event]
done = "p:a"
[[ask]]
throughput = "done"
expect = "1/3"
[[ask]]
max_delay = { from = "BUSY", to = "!BUSY" }
expect = "infinity"
[[ask]]
throughput = "done"
expect = ["2/21", "1/9"]
"#;
    let (study, messages) = study(text);
    assert_eq!(messages, [""; 0]);
    let constant = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(constants(&study), [constant("FAST", "1"), constant("N", "3")]);
    let delays: Vec<&Delay> = study.delays.iter().map(|entry| &entry.delay).collect();
    let time = Time::from_integer;
    let expected = [
        Delay::Fixed(Time::new(3, 2)),
        Delay::Between(time(1), time(2000)),
        Delay::Exponential(time(10)),
        Delay::Erlang(4, time(10)),
        Delay::Fixed(time(1)),
        Delay::Fixed(time(2500)),
    ];
    assert_eq!(delays, expected.iter().collect::<Vec<_>>());
    assert_eq!(study.weights[0].1, [1, 3]);
    assert_eq!(study.asks[0].expect, Some(Expect::Number(Time::new(1, 3), Time::new(1, 3))));
    assert_eq!(study.asks[1].expect, Some(Expect::Infinity));
    assert_eq!(study.asks[2].expect, Some(Expect::Number(Time::new(2, 21), Time::new(1, 9))));
    assert!(matches!(&study.asks[1].question, Question::MaxDelay(from, _) if from.text == "BUSY"));
}

/// What is said about a study that has one mistake after these lines.
fn complaint(text: &str) -> String {
    let (_, messages) = study(&format!("model = \"m.pml\"\nunit = \"us\"\n{text}"));
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

#[test]
fn mistakes_are_found_where_they_are() {
    let cases = [
        ("modle = \"x\"", "S0001 a study has no `modle` [modle] did you mean `model`?"),
        ("title = 3", "S0002 `title` must be a text in quotes, not integer [3] "),
        ("[delay]\nx = { fixed = 1 }", "S0004 `x` names no statement: write `proctype:label` [x] "),
        ("[delay]\n\"p:a\" = { fixed = -1 }", "S0005 a time must not be below 0 [-1] "),
        (
            "[delay]\n\"p:a\" = { fixed = \"1 lightyear\" }",
            "S0005 unknown unit of time `lightyear`; use ns, us, ms, s, min or h [\"1 lightyear\"] ",
        ),
        (
            "[delay]\n\"p:a\" = { between = [3, 1] }",
            "S0005 the second time must not be less than the first [[3, 1]] ",
        ),
        ("[delay]\n\"p:a\" = { between = 3 }", "S0005 `between` needs a list of two times [3] "),
        ("[delay]\n\"p:a\" = { exponential = 0 }", "S0005 the mean of a random delay must be above 0 [0] "),
        (
            "[delay]\n\"p:a\" = { erlang = 2 }",
            "S0005 `erlang` is the mean, and needs `stages`, a whole number above 0 [{ erlang = 2 }] ",
        ),
        (
            "[delay]\n\"p:a\" = { erlang = 2, stages = 1000000000 }",
            "S0005 `erlang` takes at most 10000 stages: with more it is as good as `fixed` \
             [{ erlang = 2, stages = 1000000000 }] ",
        ),
        (
            "[weight]\n\"p:a\" = [0, 0]",
            "S0005 weights are a list of whole numbers, one for each choice, not all 0 [[0, 0]] ",
        ),
        ("[[ask]]\nmax_delay = { from = \"x\" }", "S0003 `max_delay` needs `to` [{ from = \"x\" }] "),
        (
            "[[ask]]\nmakespan = true\nview = \"slow\"",
            "S0005 a view is `untimed`, `timed`, `stochastic` or `simulated` [slow] ",
        ),
        (
            "[[ask]]\noverlap = [\"a\", \"b\"]\nexpect = \"nver\"",
            "S0005 what can come out is `never`, `possible`, `inevitable` [\"nver\"] ",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(complaint(text), expected, "{text}");
    }
    assert!(complaint("[[ask]]\nname = \"x\"").starts_with("S0006 a question is exactly one of"));
    assert!(complaint("[delay]\n\"p:a\" = { }").starts_with("S0005 a delay needs exactly one of"));
}

#[test]
fn what_is_no_toml_is_no_panic() {
    for text in ["", "[", "model = ", "= 3", "[[ask]", "ask = 3", "delay = \"x\"", "\u{0}", "a = \"\"\"é"] {
        let (_, messages) = study(text);
        assert!(!messages.is_empty(), "{text:?}");
    }
}

#[test]
fn sweeps_have_all_combinations() {
    let text = r#"
model = "m.pml"
unit = "us"
[delay]
"p:a" = { between = [1, 3] }
[[ask]]
throughput = "p:a"
[[ask]]
ltl = "[] x"
[sweep]
N = [1, 2]
"p:a" = [4, 4.5, "0.006 ms"]
"#;
    let (study, messages) = study(text);
    assert_eq!(messages, Vec::<String>::new());
    let variants = study.variants();
    let settings: Vec<String> = variants
        .iter()
        .map(|variant| variant.settings.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(settings, ["1 4", "1 4.5", "1 0.006 ms", "2 4", "2 4.5", "2 0.006 ms"]);
    let last = &variants[5].study;
    assert_eq!(constants(last), [("N".to_owned(), "2".to_owned())]);
    let time = Time::from_integer;
    assert_eq!(last.delays[0].delay, Delay::Between(time(3), time(9)));
    assert_eq!(last.asks.len(), 2);
}

#[test]
fn formulas_are_not_asked_again_if_only_delays_vary() {
    let text = "model = \"m.pml\"\nunit = \"us\"\n[delay]\n\"p:a\" = { fixed = 1 }\n[[ask]]\nthroughput = \"p:a\"\n\
                [[ask]]\nltl = \"[] x\"\n[sweep]\n\"p:a\" = [4, 5]\n";
    let (study, _) = study(text);
    assert!(study.variants().iter().all(|variant| variant.study.asks.len() == 1));
}

#[test]
fn what_makes_no_difference_is_told() {
    let head = "model = \"m.pml\"\n";
    let cases = [
        ("[define]\nA = \"x\"\nB = \"A\"\n", "S0020 nothing uses the definition `B` [B] "),
        (
            "reference = \"paper\"",
            "S0020 no question has a `reference` to be called by this name [reference] ",
        ),
        ("[signal]\nx = \"x\"", "S0020 signals are drawn of runs of SMV models alone [signal] "),
        (
            "[[ask]]\nltl = \"x\"\nview = \"timed\"",
            "S0020 the answer does not depend on the delays: a view makes no difference [\"timed\"] ",
        ),
        (
            "[[ask]]\nltl = \"x\"\ntrend = { N = \"increasing\" }\n[sweep]\nN = [1, 2]",
            "S0020 a verdict is not a number, and can't grow [N] ",
        ),
        ("[[ask]]\nmakespan = false", "S0002 `makespan` is asked with `true`, or left out [false] "),
        ("[[ask]]\nmakespan = true\nexpect = \"holds\"", "S0005 what can come out is a number [\"holds\"] "),
        (
            "[[ask]]\nltl = \"x\"\ncell = [\"t\", \"r\", \"c\"]\n\
             [[ask]]\nltl = \"y\"\ncell = [\"t\", \"r\", \"c\"]",
            "S0006 another question is shown in this cell [[\"t\", \"r\", \"c\"]] ",
        ),
        ("[[ask]]\nltl = \"x\"\ndraw = true", "S0020 signals are drawn of runs of SMV models alone [draw] "),
    ];
    for (lines, expected) in cases {
        assert_eq!(study(&format!("{head}{lines}")).1, [expected], "{lines}");
    }
    let used = "[define]\nA = \"x\"\nB = \"A\"\n[[ask]]\nltl = \"[] (B)\"";
    assert!(study(&format!("{head}{used}")).1.is_empty());
}

#[test]
fn wrong_sweeps_are_told() {
    let head = "model = \"m.pml\"\nunit = \"us\"\n[delay]\n\"p:a\" = { fixed = 1 }\n[sweep]\n";
    let cases = [
        ("N = 3", "S0010 a sweep needs a list of values [3] "),
        ("N = []", "S0010 a sweep needs a list of values [[]] "),
        ("N = [[1]]", "S0010 the values of a constant are whole numbers, texts or truth values [[[1]]] "),
        (
            "N = [1, 1.5]",
            "S0010 the values of a constant are whole numbers, texts or truth values [[1, 1.5]] ",
        ),
        ("\"p:b\" = [1]", "S0010 there is no delay of `p:b` to be varied [\"p:b\"] did you mean `p:a`?"),
        ("\"p:a\" = [-1]", "S0005 a time must not be below 0 [-1] "),
    ];
    for (line, expected) in cases {
        let (_, messages) = study(&format!("{head}{line}"));
        assert_eq!(messages, [expected], "{line}");
    }
}

const AMOUNTS: &str = r#"
model = "m.pml"
unit = "us"
[amount]
packet = "32 KiB"
[delay]
"dma:done" = { fixed = "packet at 1.28 Gbit/s" }
[event]
sent = "dma:done"
[[ask]]
throughput = "sent"
each = "packet"
[sweep]
packet = ["1 KiB", "64 KiB"]
"#;

#[test]
fn an_amount_of_data_has_a_name_and_can_be_varied() {
    let (study, messages) = study(AMOUNTS);
    assert_eq!(messages, [""; 0]);
    let delay = |study: &Study| study.delays[0].delay.mean();
    assert_eq!(delay(&study), Time::new(1024, 5));
    // One packet in each microsecond.
    assert_eq!(study.bandwidth(&study.asks[0]), Some(Time::from_integer(32_768)));
    let variants = study.variants();
    let delays: Vec<Time> = variants.iter().map(|variant| delay(&variant.study)).collect();
    assert_eq!(delays, [Time::new(32, 5), Time::new(2048, 5)]);
    let one = &variants[0].study;
    assert_eq!(one.bandwidth(&one.asks[0]), Some(Time::from_integer(1024)));
}

#[test]
fn an_event_may_be_data() {
    let text = AMOUNTS.replace("sent = \"dma:done\"", "sent = { at = \"dma:done\", bytes = \"packet\" }");
    let (found, messages) = study(&text.replace("each = \"packet\"\n", ""));
    assert_eq!(messages, [""; 0]);
    let event = &found.events[0].0;
    assert_eq!(found.bandwidth_of(event), Some(Time::from_integer(32_768)));
    // It follows the sweep.
    assert_eq!(found.variants()[0].study.bandwidth_of(event), Some(Time::from_integer(1024)));
    for (from, to, said) in [
        ("bytes = \"packet\"", "bytes = \"4 KiB\"", ""),
        ("bytes = \"packet\"", "bytes = \"4 loads\"", "S0005 unknown unit of data `loads`"),
        ("at = \"dma:done\", ", "", "S0003 the event `sent` needs `at`"),
        ("bytes = \"packet\"", "byte = \"packet\"", "S0001 an event has no `byte`"),
    ] {
        let (_, messages) = study(&text.replace(from, to));
        let is_said = messages.iter().any(|message| message.starts_with(said));
        assert!(is_said || (said.is_empty() && messages.is_empty()), "{said}: {messages:?}");
    }
}

#[test]
fn wrong_amounts_are_told() {
    for (from, to, said) in [
        ("\"32 KiB\"", "\"32 loads\"", "S0005 unknown unit of data `loads`"),
        ("each = \"packet\"", "each = \"frame\"", "S0005 `[amount]` has no `frame`"),
        ("throughput = \"sent\"", "mean_period = \"sent\"", "S0005 only a throughput"),
        ("\"1 KiB\",", "\"1 load\",", "S0005 unknown unit of data `load`"),
        (
            "packet = \"32 KiB\"",
            "packet = \"32 KiB\"\nframe = \"1 B\"",
            "S0012 nothing is of the amount `frame`",
        ),
    ] {
        let (_, messages) = study(&AMOUNTS.replace(from, to));
        assert!(messages.iter().any(|message| message.starts_with(said)), "{said}: {messages:?}");
    }
    let message = complaint("[[ask]]\nsize = \"height\"");
    assert!(message.contains("`size` is"), "{message}");
}

#[test]
fn an_equivalence_has_a_model_and_a_relation() {
    let asked = "[[ask]]\nequivalence = { with = \"b.lotos\", relation = \"branching\", only = [\"PUT\"] }";
    let (read, messages) = study(&format!("model = \"m.lotos\"\n{asked}"));
    assert_eq!(messages, [""; 0]);
    let Question::Equivalence(other) = &read.asks[0].question else { panic!("{:?}", read.asks) };
    assert_eq!((other.with.text.as_str(), other.only.len()), ("b.lotos", 1));
    let message = complaint(&asked.replace("branching", "brnching"));
    assert!(message.starts_with("S0005 a relation is"), "{message}");
    let message = complaint(&asked.replace("[\"PUT\"]", "3"));
    assert!(message.starts_with("S0002 `only` must be a list"), "{message}");
}

#[test]
fn rewards_have_amounts() {
    let text = r#"
model = "m.pml"
unit = "us"
[delay]
"dma:done" = 3
[reward.energy]
unit = "mJ"
rate_reward = { "busy" = 0.5, "2 * n" = 1 }
event_reward = { "dma:done" = 2 }
[[ask]]
reward = "energy"
[[ask]]
reward = { of = "energy", per = "dma:done" }
[[ask]]
reward = { of = "energy", to = "n == 3" }
[[ask]]
probability = { to = "n == 3", before = "0.5 ms" }
"#;
    let (found, messages) = study(text);
    assert_eq!(messages, [""; 0]);
    let reward = &found.rewards[0];
    assert_eq!((reward.unit.as_str(), reward.rates.len(), reward.events.len()), ("mJ", 2, 1));
    assert_eq!(reward.rates[0].1, Time::new(1, 2));
    let kinds: Vec<&str> = found.asks.iter().map(|ask| ask.question.kind()).collect();
    assert_eq!(kinds, ["reward", "reward", "reward", "probability"]);
    assert_eq!(found.asks[3].name, "n == 3 before 500");
    for (from, to, said) in [
        ("reward = \"energy\"", "reward = \"enery\"", "S0007 there is no reward `enery`"),
        ("= 0.5,", "= -1,", "S0005 a reward is a number of at least 0"),
        ("event_reward", "event_rewards", "S0001 the reward `energy` has no `event_rewards`"),
        ("per = \"dma:done\"", "per = \"dma:done\", to = \"x\"", "S0006 a reward is gained `per` event"),
        (
            "[reward.energy]",
            "[reward.heat]\nrate_reward = \"n\"\n[reward.energy]",
            "S0020 no question is about the reward `heat`",
        ),
    ] {
        let (_, messages) = study(&text.replace(from, to));
        assert!(messages.iter().any(|message| message.starts_with(said)), "{said}: {messages:?}");
    }
}
