//! Small models to test with.

use narrows::{Model, NoFiles, Options, read};

/// Reads a model; its name tells the language.
pub(super) fn model(name: &str, text: &str) -> Model {
    read(name, text.to_owned(), &NoFiles, &Options::default()).expect("a model").model
}

/// P counts inside an atomic sequence and sends what it got; Q receives that, twice in vain.
pub(super) fn counting() -> Model {
    let text = "byte x;\nchan c = [2] of { byte };\nactive proctype P() {\n  atomic {\n    x = 1;\n    \
                printf(\"x is %d\\n\", x);\n    x = 2;\n    printf(\"now %d\\n\", x)\n  };\n  c!x\n}\n\
                active proctype Q() {\n  byte y;\n  c?y;\n  assert(y == 3);\n  c?0\n}\n";
    model("example.pml", text)
}

/// P hands a message over to Q, after a statement of its own; both end.
pub(super) fn meeting() -> Model {
    let text = "chan m = [0] of { byte };\nactive proctype P() {\n  byte n;\n  n = 7;\n  m!n\n}\n\
                active proctype Q() {\n  byte k;\n  k = 1;\n  m?k\n}\n";
    model("example.pml", text)
}

/// A process that divides by zero.
pub(super) fn dividing() -> Model {
    model("example.pml", "byte x;\nactive proctype P() {\n  x = 1 / x\n}\n")
}

/// A traffic light with a button.
pub(super) fn light() -> Model {
    let text = "MODULE main
FROZENVAR fast : boolean;
VAR light : {red, green}; left : 0..2;
IVAR press : boolean;
ASSIGN init(light) := red; init(left) := 0;
  next(light) := case left > 0 : light; press & light = red : green; TRUE : red; esac;
  next(left) := case left > 0 : left - 1; press & light = red : fast ? 1 : 2; TRUE : 0; esac;
DEFINE waits := light = red;
";
    model("light.smv", text)
}

/// What is put may be lost: after `put` there are two steps `i`.
pub(super) fn buffer() -> Model {
    let text = "specification Buffer [put, get, done] : exit library Boolean, Natural endlib
behaviour Buffer [put, get, done] (0) where
  process Buffer [put, get, done] (n : Nat) : exit :=
    put; (i; Buffer [put, get, done] (n) [] i; Buffer [put, get, done] (n + 1))
    [] [n gt 0] -> get !n; Buffer [put, get, done] (n - 1)
    [] done; exit
  endproc
endspec
";
    model("buffer.lotos", text)
}
