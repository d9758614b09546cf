//! Tables that are right, and tables that are not.

use narrows_source::{Diagnostic, Diagnostics, Sources};

use super::global_states::GlobalStates;
use super::protocol::{Access, Protocol};
use super::{explore, read, tables};

fn protocol(text: &str) -> (Option<Protocol>, Vec<Diagnostic>, Sources) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("table.toml", text);
    let protocol = read::read(&sources, file, &mut diagnostics);
    (protocol, diagnostics.sorted(), sources)
}

fn shipped(name: &str) -> Protocol {
    let (protocol, messages, _) = protocol(tables::find(name).unwrap());
    assert_eq!(messages, [], "{name}");
    protocol.unwrap()
}

/// Returns what is said about a table for so many caches: the code, the title, the text of the place and the
/// notes.
fn complaint(text: &str, caches: usize) -> String {
    let (protocol, messages, sources) = protocol(text);
    let Some(protocol) = protocol else {
        let say = |message: &Diagnostic| format!("{} {}", message.code, message.title);
        return messages.iter().map(say).collect::<Vec<_>>().join("\n");
    };
    let mut diagnostics = Diagnostics::default();
    if explore(&protocol, caches, &mut diagnostics).is_some() {
        return String::new();
    }
    let message = &diagnostics.sorted()[0];
    let line = sources.position(message.primary.span).line;
    format!("{} line {line}: {}\n{}", message.code, message.title, message.notes.join("\n"))
}

#[test]
fn shipped_tables_are_right_for_any_number_of_caches() {
    for name in tables::names() {
        let protocol = shipped(name);
        for caches in 1..=5 {
            let global_states = GlobalStates::explore(&protocol, caches);
            assert!(global_states.is_ok(), "{name} with {caches}: {:?}", global_states.err());
        }
    }
}

#[test]
fn combinations_are_those_of_the_paper() {
    for name in ["mesi-a", "mesi-b"] {
        let protocol = shipped(name);
        let global_states = GlobalStates::explore(&protocol, 2).unwrap();
        let mut shown: Vec<String> =
            global_states.combinations.iter().map(|states| protocol.show(states)).collect();
        shown.sort();
        assert_eq!(shown, ["EI", "IE", "II", "IM", "MI", "SS"], "{name}");
    }
}

/// The tables of the paper by hand: (own, other) and an access to the next pair and the transfer.
#[test]
fn two_caches_do_what_the_paper_says() {
    for (name, is_a) in [("mesi-a", true), ("mesi-b", false)] {
        let protocol = shipped(name);
        let global_states = GlobalStates::explore(&protocol, 2).unwrap();
        let number = |pair: &str| {
            global_states.combinations.iter().position(|one| protocol.show(one) == pair).unwrap()
        };
        let loaded = if is_a { "EI" } else { "SS" };
        let cases = [
            ("II", Access::Load, "EI", "memory"),
            ("SS", Access::Load, "SS", "hit"),
            ("EI", Access::Load, "EI", "hit"),
            ("MI", Access::Load, "MI", "hit"),
            ("IE", Access::Load, "SS", "memory_lookup"),
            ("IM", Access::Load, loaded, "cache"),
            ("II", Access::Store, "MI", "memory"),
            ("SS", Access::Store, "MI", "memory_invalidate"),
            ("EI", Access::Store, "MI", "hit"),
            ("MI", Access::Store, "MI", "hit"),
            ("IE", Access::Store, "MI", "memory_invalidate"),
            ("IM", Access::TestAndSet, "MI", "cache"),
        ];
        for (before, access, after, transfer) in cases {
            let outcome = global_states.outcome(number(before), 0, access);
            let next = protocol.show(&global_states.combinations[outcome.next as usize]);
            let found = (next.as_str(), protocol.transfers[outcome.transfer].as_str());
            assert_eq!(found, (after, transfer), "{name}: {} in {before}", access.name());
            // The other cache does the same with sides exchanged.
            let turned: String = before.chars().rev().collect();
            let outcome = global_states.outcome(number(&turned), 1, access);
            let next: String =
                protocol.show(&global_states.combinations[outcome.next as usize]).chars().rev().collect();
            assert_eq!(next, after, "{name}: {} in {turned}", access.name());
        }
    }
}

/// Returns a shipped table with a change that must apply once.
fn changed(name: &str, from: &str, to: &str) -> String {
    let text = tables::find(name).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

#[test]
fn memory_that_is_not_written_back_is_found() {
    let text = changed("mesi-b", "write_back = true\n", "");
    let expected = "C0004 line 53: P0 stores what comes from memory, where the data is old\n\
                    a shortest run that shows it:\n\
                    P0 stores: II → MI, memory\n\
                    P1 loads: MI → SS, cache\n\
                    P0 stores: SS → MI, memory_invalidate";
    assert_eq!(complaint(&text, 2), expected);
    // In variant A the line is clean after a load, and the next one that loads it asks memory.
    let text = changed("mesi-a", "write_back = true\n", "");
    let found = complaint(&text, 2);
    assert!(found.starts_with("C0004") && found.contains("memory_lookup"), "{found}");
}

#[test]
fn two_writers_are_found() {
    let row = "becomes = \"M\"\nothers_become = \"I\"\ntransfer = \"cache\"";
    let text = changed("mesi-a", row, "becomes = \"M\"\ntransfer = \"cache\"");
    let found = complaint(&text, 2);
    assert!(found.starts_with("C0003 line"), "{found}");
    assert!(found.contains("→ MM, cache"), "{found}");
    // Reading an old copy is found too, if the state is not for the only copy.
    let text = text.replace("M = \"exclusive\"", "M = \"shared\"");
    let found = complaint(&text, 2);
    assert!(found.starts_with("C0004") && found.contains("its own copy, which is old"), "{found}");
}

#[test]
fn the_store_reading_needs_an_update() {
    let text = changed("mesi-b-store", "update = true\n", "");
    let found = complaint(&text, 2);
    assert!(found.starts_with("C0004") && found.contains("its own copy, which is old"), "{found}");
}

#[test]
fn rows_must_fit_exactly_once() {
    let row = "[[load]]\nown = \"I\"\nothers = { some = \"S\" }\nbecomes = \"S\"\ntransfer = \"memory\"\n";
    let text = changed("mesi-b", row, "");
    assert_eq!(complaint(&text, 2), "", "with two caches it is not needed");
    let found = complaint(&text, 3);
    assert!(found.starts_with("C0002") && found.contains("no row for a load"), "{found}");
    let text = changed("mesi-b", "others = { some = \"S\" }\n", "");
    let found = complaint(&text, 2);
    assert!(found.starts_with("C0002") && found.contains("several rows for a load of P0"), "{found}");
}

#[test]
fn tables_that_are_no_tables() {
    let cases = [
        ("", "C0001 a coherence table needs `states`"),
        ("states = { I = \"none\" }", "C0001 a coherence table needs rows for `load`"),
        ("states = { I = \"nothing\" }", "C0001 what a cache has in a state is one of"),
        ("states = { M = \"exclusive\" }", "C0001 there are at most 32 states"),
        (
            "states = { I = \"none\" }\nload = [{ own = \"J\", transfer = \"hit\" }]",
            "C0001 there is no state `J`",
        ),
        ("states = { I = \"none\" }\nload = [{ own = \"I\" }]", "S0003 a row needs `transfer`"),
        (
            "states = { I = \"none\" }\nload = [{ transfer = \"hit\", from = \"memory\" }]",
            "C0001 a hit is what comes from the own cache",
        ),
        ("states = { I = \"none\" }\nloads = []", "S0001 a coherence table has no `loads`"),
        ("states = 3", "S0002 `states` must be a table"),
        ("states = {", "S0000"),
    ];
    for (text, expected) in cases {
        let found = complaint(text, 2);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// Every table that is accepted keeps the value that was stored last: all sequences of a few accesses, word
/// for word.
#[test]
fn what_is_accepted_is_coherent() {
    for name in tables::names() {
        let protocol = shipped(name);
        let global_states = GlobalStates::explore(&protocol, 3).unwrap();
        let mut rounds = vec![(0usize, vec![None; 3], 0u32, 0u32)];
        for round in 1..=5u32 {
            let mut next = Vec::new();
            for (at, copies, memory, latest) in rounds {
                for cache in 0..3 {
                    for access in [Access::Load, Access::Store] {
                        let states = &global_states.combinations[at];
                        let outcome = global_states.outcome(at, cache, access);
                        let after = &global_states.combinations[outcome.next as usize];
                        let row = protocol.rows_of(access).map(|(_, row)| row).find(|row| {
                            let others = states.iter().enumerate().filter(|(other, _)| *other != cache);
                            row.own >> states[cache] & 1 == 1
                                && row
                                    .others
                                    .fit(others.map(|(_, state)| *state).collect::<Vec<_>>().into_iter())
                        });
                        let row = row.unwrap();
                        let mut copies: Vec<Option<u32>> = copies.clone();
                        let (mut memory, mut latest) = (memory, latest);
                        let value = match outcome.providers.first() {
                            Some(provider) => copies[*provider].unwrap(),
                            None if row.source == super::protocol::Source::Own => copies[cache].unwrap(),
                            None => memory,
                        };
                        assert_eq!(value, latest, "{name}");
                        if row.write_back {
                            memory = value;
                        }
                        copies[cache] = Some(value);
                        if access == Access::Store {
                            latest = round * 10 + cache as u32 + 1;
                            copies[cache] = Some(latest);
                            if row.update {
                                memory = latest;
                                copies
                                    .iter_mut()
                                    .filter(|copy| copy.is_some())
                                    .for_each(|copy| *copy = Some(latest));
                            }
                        }
                        for (copy, state) in copies.iter_mut().zip(after) {
                            if protocol.states[usize::from(*state)].holds == super::protocol::Holds::Nothing {
                                *copy = None;
                            }
                        }
                        next.push((outcome.next as usize, copies, memory, latest));
                    }
                }
            }
            rounds = next;
        }
    }
}
