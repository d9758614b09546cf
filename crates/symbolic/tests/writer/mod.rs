//! Random small models as text.

use std::fmt::Write;

use narrows_graph::Random;

fn pick<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.index(list.len())]
}

/// Every model has these: b, n in 0..3, e in {red, green, blue}.
pub(crate) fn predicate(random: &mut Random) -> String {
    let number = random.below(4);
    match random.below(10) {
        0 => "b".to_owned(),
        1 => "!b".to_owned(),
        8 => format!("{{n, {number}}} in {{0, 2, {}}}", random.below(4)),
        2 => format!("n = {number}"),
        3 => format!("n <= {number}"),
        4 => format!("e = {}", pick(random, &["red", "green", "blue"])),
        5 => "e in {red, blue}".to_owned(),
        6 => format!("(b & n != {number})"),
        7 => format!("(b xor e = {})", pick(random, &["red", "green"])),
        _ => format!("n + {number} > 3"),
    }
}

fn condition(random: &mut Random, with_input: bool) -> String {
    match random.below(6) {
        0 if with_input => "i".to_owned(),
        1 if with_input => pick(random, &["!i & b", "k = 2", "(k < 2 | b)", "n = k"]).to_owned(),
        2 => format!("({} | {})", predicate(random), predicate(random)),
        3 => format!("({} -> {})", predicate(random), predicate(random)),
        _ => predicate(random),
    }
}

fn number(random: &mut Random) -> String {
    match random.below(9) {
        0 => "n".to_owned(),
        1 => "(n + 1) mod 4".to_owned(),
        2 => random.below(4).to_string(),
        3 => format!("{{{}, {}}}", random.below(4), random.below(4)),
        4 => "{n, 0}".to_owned(),
        5 => "(n * 2) mod 3".to_owned(),
        6 => "n union 1".to_owned(),
        7 => "(n + 2) / 2".to_owned(),
        _ => "n + 1".to_owned(),
    }
}

fn truth(random: &mut Random, with_input: bool) -> String {
    match random.below(5) {
        0 => "{TRUE, FALSE}".to_owned(),
        1 => "!b".to_owned(),
        _ => condition(random, with_input),
    }
}

fn colour(random: &mut Random) -> String {
    let one = pick(random, &["red", "green", "blue"]);
    match random.below(4) {
        0 => format!("{{{one}, red}}"),
        1 => "e".to_owned(),
        2 => "{red, green, blue}".to_owned(),
        _ => one.to_owned(),
    }
}

fn case(random: &mut Random, with_input: bool, value: fn(&mut Random) -> String) -> String {
    let mut text = "case ".to_owned();
    for _ in 0..random.below(3) {
        let _ = write!(text, "{} : {}; ", condition(random, with_input), value(random));
    }
    let default = if random.one_in(8) { condition(random, with_input) } else { "TRUE".to_owned() };
    let _ = write!(text, "{default} : {}; esac", value(random));
    text
}

fn branching(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return predicate(random);
    }
    let mut inner = || branching(random, depth - 1);
    let (left, right) = (inner(), inner());
    let operator = pick(random, &["AG", "AF", "AX", "EG", "EF", "EX"]);
    match random.below(9) {
        0 => format!("A [{left} U {right}]"),
        1 => format!("E [{left} U {right}]"),
        2 => format!("({left} -> {operator} {right})"),
        3 => format!("({left} & {operator} {right})"),
        4 => {
            let bounds = (random.below(3), random.below(3));
            let operator = pick(random, &["ABF", "EBF", "ABG", "EBG"]);
            format!("{operator} {}..{} ({left})", bounds.0, bounds.0 + bounds.1)
        }
        5 => format!("{} [{left} BU {}..3 {right}]", pick(random, &["A", "E"]), random.below(3)),
        6 => format!("!({left} <-> {operator} {right})"),
        _ => format!("{operator} ({left})"),
    }
}

fn linear(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return predicate(random);
    }
    let mut inner = || linear(random, depth - 1);
    let (left, right) = (inner(), inner());
    match random.below(9) {
        0 => format!("(({left}) U ({right}))"),
        1 => format!("(({left}) V ({right}))"),
        2 => format!("(({left}) S ({right}))"),
        3 => format!("(({left}) T ({right}))"),
        4 => format!("(({left}) -> F ({right}))"),
        5 => format!("{} [1, 2] ({left})", pick(random, &["F", "G", "O", "H"])),
        6 => format!("G (({left}) | ({right}))"),
        _ => format!("{} ({left})", pick(random, &["G", "F", "X", "Y", "Z", "H", "O", "G F", "F G"])),
    }
}

/// Writes steps as alternatives that change one or two variables and leave the others alone.
fn alternatives(random: &mut Random, with_input: bool) -> String {
    let mut list = Vec::new();
    for _ in 0..8 + random.below(4) {
        let guard = condition(random, with_input);
        let change = match random.below(4) {
            0 => "next(b) = !b & next(n) = n & e = next(e)".to_owned(),
            1 => format!("next(n) in {{n, {}}} & next(b) = b & next(e) = e", random.below(4)),
            2 => format!("next(e) = {} & next(n) = n & next(b) = b", pick(random, &["red", "blue"])),
            _ => "next(n) = (n + 1) mod 4 & next(b) = (n = 2) & next(e) = e".to_owned(),
        };
        list.push(format!("({guard} & {change})"));
    }
    format!("TRANS {};\n", list.join(" | "))
}

/// Writes variables of which each may stay what it is, whatever the others do.
fn idlers(random: &mut Random) -> String {
    let mut text = String::new();
    for gate in 0..8 {
        let before = if gate == 0 { predicate(random) } else { format!("g{}", gate - 1) };
        let _ = writeln!(
            text,
            "VAR g{gate} : boolean;\nASSIGN init(g{gate}) := FALSE; next(g{gate}) := ({before} | g{gate}) union g{gate};"
        );
    }
    let _ = writeln!(text, "ASSIGN next(b) := ({}) union b;", predicate(random));
    let _ =
        writeln!(text, "  next(n) := n union {};", pick(random, &["0", "(n + 1) mod 4", "(n * 2) mod 3"]));
    let _ = writeln!(text, "  next(e) := e union {};", pick(random, &["red", "blue"]));
    if random.one_in(2) {
        let _ = writeln!(text, "TRANS !(next(g{}) & next(b));", random.below(8));
    }
    text
}

/// Instances that stand in one another's parameters; they are always declared, and used now and then.
const CELL: &str = "MODULE cell(input, reset)\nVAR full : boolean;\nDEFINE empty := !full;\n\
                    ASSIGN init(full) := FALSE; next(full) := reset ? {FALSE, input} : empty & input;\n";

/// Writes variables with unusual names, arrays that are defined, instances in an array, or a word of several
/// limbs, and what is claimed of them.
fn rarities(random: &mut Random) -> String {
    let mut text = String::new();
    if random.one_in(5) {
        let (next, index) = (predicate(random), random.below(3));
        let _ = writeln!(
            text,
            "VAR \"INS\" : boolean; p.at : 0..2; r[1] : boolean;\nASSIGN init(\"INS\") := FALSE; next(\"INS\") := {next};\n  \
             init(p.at) := {index}; next(p.at) := n mod 3; init(r[1]) := b; next(r[1]) := p.at = 1;\n\
             INVARSPEC p.at = {index} -> (\"INS\" | r[1] | b);\nLTLSPEC G F (\"INS\" -> X r[1]);"
        );
    }
    if random.one_in(5) {
        let (first, second) = (predicate(random), predicate(random));
        let _ = writeln!(
            text,
            "DEFINE seen := [{first}, {second}, b]; grid := [[0, 1], [n, 3]];\n\
             INVARSPEC seen[n mod 3] | grid[1][0] < 3;\nCTLSPEC AG EF (seen[2] & grid[n mod 2][1] = 1);"
        );
    }
    if random.one_in(5) {
        let index = random.below(2);
        let _ = writeln!(
            text,
            "VAR cell[0] : cell(b, e = red); cell[1] : cell(cell[0].full, n > {index});\n\
             CTLSPEC EF full IN cell[{index}];\nLTLSPEC G (full -> F !full) IN cell[{index}];\n\
             INVARSPEC full -> input IN cell[{index}];\nCOMPUTE MIN [!full, full] IN cell[{index}];"
        );
    }
    if random.one_in(6) {
        let guard = predicate(random);
        let _ = writeln!(
            text,
            "VAR wide : word[70];\nASSIGN init(wide) := 0ud70_5; next(wide) := {guard} ? wide << 31 : wide;\n\
             INVARSPEC wide[69:62] = 0ud8_0 | wide >= 0ud70_9;\nLTLSPEC G (wide[2:0] = 0ud3_5 -> {guard} | wide > 0ud70_4);"
        );
        // How far it is shifted stands in a word, wider than need be.
        let _ = writeln!(
            text,
            "INVARSPEC ((wide >> wide) <= wide) & ((0ud3_1 << wide) = 0ud3_0 | wide < 0ud70_3);\n\
             CTLSPEC AG (wide >> 0ud66_69 = 0ud70_0 | wide[69:69] = 0ud1_1);"
        );
    }
    text
}

/// Writes a model.
pub(crate) fn model(random: &mut Random) -> String {
    let with_processes = random.one_in(4);
    let with_input = random.one_in(3);
    let mut text = CELL.to_owned();
    if with_processes {
        let _ = writeln!(
            text,
            "MODULE worker(n, b, e)\nVAR at : boolean;\nASSIGN\n  init(at) := FALSE;\n  next(at) := !at;\n  \
             next(n) := {};",
            case(random, false, number)
        );
        if random.one_in(2) {
            text.push_str("FAIRNESS running\n");
        }
    }
    text.push_str("MODULE main\nVAR\n  b : boolean;\n  n : 0..3;\n  e : {red, green, blue};\n");
    if with_processes {
        text.push_str("  p : process worker(n, b, e);\n  q : process worker(n, !b, e);\n");
    }
    if with_input {
        text.push_str("IVAR i : boolean; k : 1..3;\n");
    }
    if random.one_in(4) {
        text.push_str("FROZENVAR f : 0..2;\nTRANS f = 1 -> next(n) != 2;\n");
    }
    if random.one_in(3) {
        text.push_str("VAR w : word[2];\nASSIGN init(w) := 0ud2_1; next(w) := w + word1(b) :: 0ub1_1;\n");
    }
    text.push_str("ASSIGN\n");
    if !random.one_in(4) {
        let _ = writeln!(text, "  init(b) := {};", pick(random, &["TRUE", "FALSE", "{TRUE, FALSE}"]));
    }
    let _ = writeln!(text, "  init(n) := {};", pick(random, &["0", "1", "{0, 2}"]));
    if !random.one_in(4) {
        let _ = writeln!(text, "  init(e) := red;");
    }
    if !with_processes && random.one_in(6) {
        text.push_str(&idlers(random));
        return finished(text, random, with_input);
    }
    if !with_processes && random.one_in(5) {
        text.push_str(&alternatives(random, with_input));
        return finished(text, random, with_input);
    }
    if !random.one_in(5) {
        let _ = writeln!(text, "  next(b) := {};", truth(random, with_input));
    }
    if !with_processes && !random.one_in(8) {
        let _ = writeln!(text, "  next(n) := {};", case(random, with_input, number));
    }
    match random.below(5) {
        0 => {}
        1 if !with_processes => {
            let _ = writeln!(text, "  -- follows\nINVAR e = red | n > 0 | b;");
        }
        _ => {
            let _ = writeln!(text, "  next(e) := {};", case(random, with_input, colour));
        }
    }
    finished(text, random, with_input)
}

/// Writes constraints, fairness and specifications.
fn finished(mut text: String, random: &mut Random, with_input: bool) -> String {
    text.push_str(&rarities(random));
    if random.one_in(4) {
        let _ = writeln!(text, "TRANS {} -> next({});", predicate(random), predicate(random));
    }
    if random.one_in(6) {
        let _ = writeln!(text, "INVAR {} | {};", predicate(random), predicate(random));
    }
    if random.one_in(3) {
        let _ = writeln!(text, "JUSTICE {};", condition(random, with_input));
    }
    if random.one_in(5) {
        let _ = writeln!(text, "COMPASSION ({}, {});", condition(random, with_input), predicate(random));
    }
    let _ = writeln!(text, "INVARSPEC {};", predicate(random));
    let _ = writeln!(text, "INVARSPEC {} -> next({});", condition(random, with_input), predicate(random));
    let _ = writeln!(text, "LTLSPEC F G ({} | next({}));", condition(random, with_input), predicate(random));
    for kind in ["MIN", "MAX"] {
        let _ = writeln!(text, "COMPUTE {kind} [{}, {}];", predicate(random), predicate(random));
    }
    for _ in 0..3 {
        let depth = 1 + random.below(2) as u32;
        let _ = writeln!(text, "CTLSPEC {};", branching(random, depth));
        let _ = writeln!(text, "LTLSPEC {};", linear(random, depth));
    }
    if with_input {
        text.push_str("LTLSPEC G (i -> F n = 1);\n");
    }
    text
}
