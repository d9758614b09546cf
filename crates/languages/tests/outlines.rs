//! What editors learn of texts: every name leads to where it is declared.

use std::fmt::Write;

use narrows_languages::outline::Outline;
use narrows_languages::{LANGUAGES, identify};

/// Writes every word that is a name with the place of its declaration: `word@line -> line kind`.
fn links(name: &str, text: &str) -> String {
    let outline = identify(name, text).language.outline(text);
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    let mut shown = String::new();
    for (number, word) in outline.words.iter().enumerate().filter(|(_, word)| word.kind.is_name()) {
        let target = outline.resolve(number).map_or("nothing".to_owned(), |target| {
            let declared = &outline.declared[target];
            format!("{} {:?}", line(declared.place.start), declared.kind)
        });
        let _ = writeln!(shown, "{}@{} -> {target}", word.text, line(word.place.start));
    }
    shown
}

fn has(links: &str, expected: &[&str]) {
    for line in expected {
        assert!(links.lines().any(|found| found == *line), "no `{line}` in\n{links}");
    }
}

#[test]
fn promela_names_lead_to_their_declarations() {
    let text = "#define SIZE 4
#define twice(a) (a + a)
mtype = { ask, tell };
typedef Message { byte id; bool last };
chan wire = [SIZE] of { mtype, byte };
byte total = 2, rest[SIZE];
inline send(x) {
  wire!ask(x)
}
active [2] proctype sender(byte total; chan out) {
  Message message;
  byte id = twice(total);
again:
  message.id = id;
  do
  :: { byte inner = rest[0]; inner++ } -> send(id)
  :: wire?tell(id) -> rest[message.id]++; goto again
  :: (id > 1 -> total : rest[1]) > 0 -> break
  od
}
init {
  byte id;
  run sender(total, wire);
  total = (sender[1]@again -> 1 : 2)
}
ltl safe { [] (sender@again -> total < SIZE) }
never bad { do :: sender:id == 3 od }
";
    has(
        &links("a.pml", text),
        &[
            "SIZE@5 -> 1 Macro",
            "SIZE@6 -> 1 Macro",
            "SIZE@26 -> 1 Macro",
            "a@2 -> 2 Parameter",
            "twice@12 -> 2 Inline",
            "ask@8 -> 3 Constant",
            "tell@17 -> 3 Constant",
            "Message@11 -> 4 Type",
            "id@14 -> 4 Field",
            "id@14 -> 12 Variable",
            "wire@8 -> 5 Channel",
            "x@8 -> 7 Parameter",
            "send@16 -> 7 Inline",
            "total@12 -> 10 Parameter",
            "total@18 -> 10 Parameter",
            "id@17 -> 4 Field",
            "total@23 -> 6 Variable",
            "rest@18 -> 6 Variable",
            "inner@16 -> 16 Variable",
            "again@17 -> 13 Label",
            "again@24 -> 13 Label",
            "again@26 -> 13 Label",
            "sender@23 -> 10 Process",
            "id@27 -> 12 Variable",
            "safe@26 -> 26 Property",
        ],
    );
}

#[test]
fn smv_names_lead_to_their_declarations() {
    let text = "MODULE cell(left)
VAR
  state : {idle, busy};
DEFINE
  full := state = busy & left.full;
MODULE main
VAR
  a : cell(b);
  b : cell(a);
  state : 0..3;
ASSIGN
  next(state) := case a.state = idle : 0; TRUE : state; esac;
LTLSPEC NAME fair := G F a.full
";
    has(
        &links("a.smv", text),
        &[
            "state@5 -> 3 Variable",
            "busy@5 -> 3 Constant",
            "left@5 -> 1 Parameter",
            "full@5 -> 5 Definition",
            "cell@8 -> 1 Module",
            "b@8 -> 9 Variable",
            "state@12 -> 10 Variable",
            "fair@13 -> 13 Property",
            "full@13 -> 5 Definition",
        ],
    );
}

#[test]
fn lotos_names_lead_to_their_declarations() {
    let text = "specification ring [put, get] (size : Nat) : noexit
library NaturalNumber endlib
type Colour is sorts Colour
  opns red, green : -> Colour
       next : Colour -> Colour
endtype
behaviour
  hide mid in Cell [put, mid] (red) |[mid]| Cell [Mid, get] (green)
where
  process Cell [input, output] (shade : Colour) : noexit :=
    input ?x : Colour ; output !next(x) ; Cell [input, output] (shade)
  endproc
endspec
";
    has(
        &links("a.lotos", text),
        &[
            "COLOUR@4 -> 3 Type",
            "RED@8 -> 4 Operation",
            "GREEN@8 -> 4 Operation",
            "MID@8 -> 8 Gate",
            "CELL@8 -> 10 Process",
            "INPUT@11 -> 10 Gate",
            "X@11 -> 11 Variable",
            "NEXT@11 -> 5 Operation",
            "SHADE@11 -> 10 Variable",
            "PUT@8 -> 1 Gate",
        ],
    );
}

/// Says what must hold of any outline.
fn is_sound(text: &str, outline: &Outline) {
    let fits = |place: &std::ops::Range<usize>| text.get(place.clone()).is_some_and(|word| !word.is_empty());
    assert!(outline.words.iter().all(|word| fits(&word.place)));
    assert!(outline.words.is_sorted_by_key(|word| word.place.start));
    for declared in &outline.declared {
        assert!(fits(&declared.place) && text.get(declared.extent.clone()).is_some(), "{declared:?}");
        assert!(declared.extent.start <= declared.place.start && declared.place.end <= declared.extent.end);
        assert!(outline.words.iter().any(|word| word.place == declared.place), "{declared:?}");
    }
    for word in 0..outline.words.len() {
        outline.resolve(word);
    }
}

#[test]
fn unfinished_texts_have_outlines() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut folders = vec![root];
    let (mut texts, mut names, mut resolved) = (0, 0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let name = entry.to_string_lossy().into_owned();
            let Some(language) = LANGUAGES.iter().find(|language| {
                language.endings().iter().any(|ending| name.ends_with(&format!(".{ending}")))
            }) else {
                continue;
            };
            let text = std::fs::read_to_string(&entry).expect("a text");
            if language.is_graph() || text.len() > 40_000 {
                continue;
            }
            texts += 1;
            let outline = language.outline(&text);
            is_sound(&text, &outline);
            for word in 0..outline.words.len() {
                if outline.words[word].kind.is_name() {
                    names += 1;
                    resolved += usize::from(outline.resolve(word).is_some());
                }
            }
            for cut in (0..text.len()).step_by(text.len() / 20 + 1).filter(|cut| text.is_char_boundary(*cut))
            {
                is_sound(&text[..cut], &language.outline(&text[..cut]));
                is_sound(&text[cut..], &language.outline(&text[cut..]));
            }
        }
    }
    println!("{texts} texts, {resolved} of {names} names resolved");
    assert!(texts >= 20, "{texts} texts");
    // What is left is predefined, such as `_pid` and the sorts of LOTOS, or stands in an included file.
    assert!(resolved * 100 >= names * 90, "{resolved} of {names}");
}

/// Editors colour keywords before the server is there, by grammars that list them.
#[test]
fn grammars_of_editors_know_all_keywords() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes");
    for language in LANGUAGES.iter().filter(|language| !language.keywords().is_empty()) {
        let file = folder.join(format!("{}.tmLanguage.json", language.name().to_lowercase()));
        let grammar = std::fs::read_to_string(file).expect("a grammar");
        let words: Vec<&str> = grammar.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        // Behind a backslash there may be the `b` of a word's border, and a `?` after what may be left out.
        let is_known =
            |word: &str| words.iter().any(|known| *known == word || known.strip_prefix('b') == Some(word));
        let missing: Vec<_> = language.keywords().into_iter().filter(|word| !is_known(word)).collect();
        let left: &[&str] = match language.name() {
            // Embedded C is not supported.
            "Promela" => &["c_code", "c_decl", "c_expr", "c_state", "c_track"],
            // Written `behaviou?r`.
            "LOTOS" => &["behavior", "behaviour"],
            _ => &[],
        };
        assert_eq!(missing, left, "{}", language.name());
    }
}
