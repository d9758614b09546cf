//! What is said of LOTOS models that can't be used, or hardly mean what they say: for each code a small
//! model, the line the message points to, and phrases that the message as it is shown must contain.

use std::collections::BTreeSet;

use narrows_languages::Language;
use narrows_languages::lotos::{Lotos, Options, compile, fault};
use narrows_model::ViolationKind;
use narrows_model::behaviour::{Behaviour, Fault};
use narrows_source::{Diagnostics, Explanation, Severity, Sources, Span, render};

type Said = Vec<(&'static str, usize, String)>;

fn compiled(model: &str, options: &Options) -> (Option<Behaviour>, Said) {
    let mut sources = Sources::default();
    let file = sources.add("model.lotos", model);
    let mut diagnostics = Diagnostics::default();
    let compiled = compile(&mut sources, file, options, &mut diagnostics);
    assert_eq!(compiled.is_none(), diagnostics.has_errors(), "{model}");
    let list = diagnostics.sorted();
    let said = list
        .iter()
        .map(|message| {
            let line = sources.position(message.primary.span).line;
            (message.code, line, render(message, &sources, false))
        })
        .collect();
    (compiled, said)
}

/// A model around a behaviour; it begins on line 4.
fn around(behaviour: &str) -> String {
    format!("specification S [a, b] : noexit\nlibrary Natural endlib\nbehaviour\n{behaviour}\nendspec")
}

/// A model around types; they begin on line 3.
fn with_types(types: &str) -> String {
    format!("specification S [a] : noexit\nlibrary Natural endlib\n{types}\nbehaviour a; stop\nendspec")
}

type Case = (&'static str, &'static str, usize, &'static [&'static str]);

/// Behaviours.
const BEHAVIOURS: &[Case] = &[
    ("a; \"stop", "L0001", 4, &["does not belong here"]),
    ("a; stop (* open", "L0002", 4, &["a comment has no end", "end it with `*)`"]),
    ("a stop", "L0100", 4, &["`stop` stands where", "expected"]),
    ("a; stop whre\nprocess P [a] : noexit := a; stop endproc", "L0100", 4, &["did you mean `where`?"]),
    ("hide stop in a; stop", "L0100", 4, &["`stop` is a word of LOTOS and can't be a name"]),
    ("a ?x:Natt; stop", "L0201", 4, &["there is no sort `NATT`", "did you mean `NAT`?"]),
    ("a ?x:Bit; stop", "L0201", 4, &["add `library Bit endlib`"]),
    ("a ?x:Nat ?x:Nat; stop", "L0202", 4, &["`X` is declared twice", "first here"]),
    (
        "P [a]\nwhere\nprocess P [a] : noexit := a; stop endproc\nprocess P [a] : noexit := a; stop endproc",
        "L0202",
        7,
        &["the process `P` is defined twice"],
    ),
    (
        "let count : Nat = 1 in a !cuont; stop",
        "L0210",
        4,
        &["no variable or operation `CUONT`", "did you mean `COUNT`?"],
    ),
    (
        "[true lt 1] -> stop",
        "L0211",
        4,
        &["no operation `LT` takes BOOL and NAT", "`_LT_ : NAT, NAT -> BOOL`"],
    ),
    ("[1 = true] -> stop", "L0212", 4, &["different sorts", "NAT", "BOOL"]),
    ("[1 + 1] -> stop", "L0213", 4, &["a value of sort BOOL should stand here", "this is NAT"]),
    ("a !(1 of Bool); stop", "L0213", 4, &["`1` is not of sort BOOL"]),
    (
        "P [a]\nwhere process P [a] : noexit := a; exit endproc",
        "L0240",
        5,
        &["is said not to end, but may", "write `exit`"],
    ),
    (
        "P [a] >> a; stop\nwhere process P [a] : exit (Nat) := a; exit (true) endproc",
        "L0240",
        5,
        &["write `exit (BOOL)`"],
    ),
    ("P [a]\nwhere process P [a] : exit := a; stop endproc", "L0241", 5, &["never does", "write `noexit`"]),
    ("(exit (1) [] exit (true)) >> accept x : Nat in stop", "L0242", 4, &["`exit (NAT)` and `exit (BOOL)`"]),
    ("exit (1) >> accept x : Bool in stop", "L0243", 4, &["ends with `exit (NAT)`", "accepts `exit (BOOL)`"]),
    ("a; stop >> b; stop", "L0244", 4, &["never ends"]),
    (
        "P [a]\nwhere process P [put] : noexit := ptu; stop endproc",
        "L0250",
        5,
        &["there is no gate `PTU`", "did you mean `PUT`?"],
    ),
    (
        "Sendr [a]\nwhere process Sender [a] : noexit := a; stop endproc",
        "L0260",
        4,
        &["did you mean `SENDER`?"],
    ),
    ("a", "L0260", 4, &["is a gate: an action is followed by `;`"]),
    (
        "P [a]\nwhere process P [a, b] : noexit := a; b; stop endproc",
        "L0261",
        4,
        &["takes 2 gates, and gets 1", "defined here"],
    ),
    (
        "P [a] (1, 2)\nwhere process P [a] (x : Nat) : noexit := a !x; stop endproc",
        "L0261",
        4,
        &["takes 1 values, and gets 2"],
    ),
    (
        "P [a]\nwhere process P [a] : noexit := P [a] [] a; stop endproc",
        "L0301",
        5,
        &["comes back to itself without a step"],
    ),
    (
        "P [a]\nwhere process P [a] : noexit := a; (P [a] ||| P [a]) endproc",
        "L0302",
        5,
        &["no end of states", "which stays"],
    ),
    (
        "P [a]\nwhere process P [a] : noexit := hide c in a; c; P [c] endproc",
        "L0303",
        5,
        &["no end of copies of `P`"],
    ),
    ("hide c in a; stop", "L0304", 4, &["the gate `C` is never used"]),
    (
        "a !1; stop |[a]| a ?x:Bool; stop",
        "L0305",
        4,
        &["never agree on what happens at `A`", "(NAT)", "(BOOL)"],
    ),
    ("a; stop |[a]| b; stop", "L0306", 4, &["only one side ever does something at `A`"]),
];

/// Types.
const TYPES: &[Case] = &[
    ("type T is Natural sorts C, C endtype", "L0202", 3, &["the sort `C` is declared twice"]),
    ("type T is Natural endtype\ntype T is Natural endtype", "L0202", 4, &["the type `T` is defined twice"]),
    ("library Booleen endlib", "L0203", 3, &["the library has no type `BOOLEEN`", "did you mean `BOOLEAN`?"]),
    ("type T is Bit endtype", "L0204", 3, &["there is no type `BIT`", "add `library BIT endlib`"]),
    (
        "type T is U renamedby sortnames C for D endtype\ntype U is T renamedby sortnames D for C endtype",
        "L0205",
        3,
        &["is made of itself"],
    ),
    ("type T is Natural opns _neg_ : Nat -> Nat endtype", "L0206", 3, &["stands between two values"]),
    (
        "type T is Natural opns same (*! builtin equal *) : Nat -> Bool endtype",
        "L0207",
        3,
        &["can't be built in"],
    ),
    (
        "type T is Natural opns g : Nat -> Nat eqns ofsort Nat g (0) = 0; endtype",
        "L0225",
        3,
        &["`G`", "such as `G (1)`"],
    ),
    (
        "type T is Natural eqns forall x : Nat ofsort Nat x = 0; endtype",
        "L0220",
        3,
        &["must be an operation"],
    ),
    ("type T is Natural eqns ofsort Nat 1 + 1 = 3; endtype", "L0221", 3, &["`+` needs no equations"]),
    (
        "type T is Natural sorts C opns c (*! constructor *) : Nat -> C\neqns forall x : Nat ofsort C c (x) = c (0); endtype",
        "L0222",
        4,
        &["`C` is a constructor, and has an equation", "declared here"],
    ),
    (
        "type T is Natural opns f : Nat -> Nat\neqns forall x, y : Nat ofsort Nat f (x) = y; endtype",
        "L0223",
        4,
        &["has no value"],
    ),
    (
        "type T is Natural opns f : Nat -> Nat\neqns forall x : Nat ofsort Nat f (x + 1) = x; endtype",
        "L0224",
        4,
        &["`+` is not a constructor"],
    ),
    (
        "type T is Natural opns f : Nat -> Nat\neqns forall x : Nat ofsort Nat f (succ (x)) = x; endtype",
        "L0225",
        3,
        &["some values have no equation for `F`", "such as `F (0)`"],
    ),
];

/// Whole models.
const WHOLE: &[Case] = &[
    (
        "specification S [a] : noexit\nbehaviour [x] -> a; stop\nendspec",
        "L0208",
        2,
        &["add `library Boolean endlib`"],
    ),
    (
        "specification S [a] : noexit\nlibrary Bit, Natural endlib\nbehaviour a !0; stop\nendspec",
        "L0214",
        3,
        &["several sorts are possible here", "BIT or NAT"],
    ),
    (
        "specification S [a] (n : Nat) : noexit\nlibrary Natural endlib\nbehaviour a !n; stop\nendspec",
        "L0230",
        1,
        &["the parameter `N` of the specification has no value", "-D N=VALUE"],
    ),
    ("specification S [a] : noexit\nbehaviour a; stop", "L0100", 2, &["the end of the text stands where"]),
    ("", "L0100", 1, &["`specification`"]),
];

#[test]
fn every_message_is_shown_at_its_place() {
    let mut codes = BTreeSet::new();
    let behaviours = BEHAVIOURS.iter().map(|case| (around(case.0), case));
    let types = TYPES.iter().map(|case| (with_types(case.0), case));
    let whole = WHOLE.iter().map(|case| (case.0.to_owned(), case));
    for (model, (_, code, line, phrases)) in behaviours.chain(types).chain(whole) {
        let said = compiled(&model, &Options::default()).1;
        let Some((_, _, message)) = said.iter().find(|(other, at, _)| other == code && at == line) else {
            panic!("no {code} on line {line} of\n{model}\nbut {said:#?}");
        };
        for phrase in *phrases {
            assert!(message.contains(phrase), "`{phrase}` is not in\n{message}");
        }
        codes.insert(*code);
    }
    let values = |name: &str, value: &str| Options {
        values: vec![(name.to_owned(), value.to_owned(), "-D".to_owned())],
    };
    let model = "specification S [a] (count : Nat) : noexit\nlibrary Natural endlib\nbehaviour a !count; stop\nendspec";
    assert!(compiled(model, &values("Count", "1 + 2")).0.is_some());
    for (options, code) in [
        (values("cuont", "1"), "L0231"),
        (values("count", "true"), "L0213"),
        (values("count", "1 +"), "L0100"),
    ] {
        let said = compiled(model, &options).1;
        assert!(said.iter().any(|(found, _, _)| *found == code), "{code}: {said:#?}");
        codes.insert(code);
    }
    let deep = around(&format!("{}stop{}", "(".repeat(500), ")".repeat(500)));
    // The program itself has a deep stack.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let said = thread.spawn(move || compiled(&deep, &Options::default()).1).expect("a thread");
    assert!(said.join().expect("messages").iter().any(|(code, _, _)| *code == "L0102"));
    codes.insert("L0102");
    // What is too large is a value, or if nothing is named, the processes themselves.
    for (kind, about) in ViolationKind::ALL.iter().flat_map(|&kind| [(kind, "X"), (kind, "")]) {
        let fault = fault(&Fault { kind, span: Span::default(), about: about.to_owned() });
        assert_eq!(fault.severity, Severity::Error);
        codes.insert(fault.code);
    }
    let explained: BTreeSet<&str> =
        Explanation::read(Lotos.messages()).map(|explanation| explanation.code).collect();
    assert_eq!(codes, explained);
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let model = around(
        "a; P [a]\nwhere\nprocess P [a] : noexit := a stop endproc\n\
         process Q [a] : noexit := a; ; stop endproc\nprocess R [a] : noexit := a; stop endproc",
    );
    let said = compiled(&model, &Options::default()).1;
    let lines: Vec<usize> = said.iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [6, 7], "{said:#?}");
}

#[test]
fn any_text_is_survived() {
    let model = "specification S [a] (n : Nat) : exit (Nat)\nlibrary Natural, Set endlib\ntype T is Set actualizedby Natural \
                 using sortnames Nat for Element endtype\nbehaviour hide c in (let x : Nat = n in choice y : Bool [] [y] -> \
                 a !x ?z:Nat [z lt 3]; exit (z)) >> accept q : Nat in ((P [a] (q) [> exit (1)) |[a]| exit (any Nat))\nwhere \
                 process P [a] (x : Nat) : exit (Nat) := a !x !1; P [a] (x) endproc\nendspec";
    for end in 0..model.len() {
        compiled(&model[..end], &Options::default());
        compiled(&model[end..], &Options::default());
        for other in [")", "[]", ";", "process", "\u{e9}", "_", "of", "in"] {
            compiled(&format!("{}{other}{}", &model[..end], &model[end..]), &Options::default());
        }
    }
}
