//! The messages of the parser.

use narrows_source::Explanation;

/// The messages of the parser.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "P0100",
        title: "something else was expected",
        text: "The text does not follow Promela's grammar here; the message says what could come next.

```promela
init { goto 3 }
```

A label is a name.
",
    },
    Explanation {
        code: "P0101",
        title: "not a declaration or a process",
        text: "At the top level of a text stand declarations, typedefs, inlines, processes, claims and formulas.

```promela
porctype P() { skip }
```

The word is misspelt, or a statement stands outside of a process.
",
    },
    Explanation {
        code: "P0102",
        title: "missing `;`",
        text: "Two statements stand on one line without a separator.

```promela
init { byte x; x = 1 x = 2 }
```

Write `;` or `->` between them. At the end of a line it may be left out.
",
    },
    Explanation {
        code: "P0103",
        title: "something is not closed",
        text: "A block needs its `}`, an `if` its `fi`, a `do` its `od`, and arguments their `)`.

```promela
init {
  if
  :: true -> skip
}
```

The message shows what is open; add its end.
",
    },
    Explanation {
        code: "P0104",
        title: "an end without a beginning",
        text: "A `fi`, `od`, `}` or `::` stands where nothing it belongs to is open, or closes the wrong thing.

```promela
init { do :: break fi }
```

An `if` ends with `fi`, a `do` with `od`.
",
    },
    Explanation {
        code: "P0105",
        title: "unknown type",
        text: "A declaration starts with a name that is no type.

```promela
Point p;
typedef Point { byte x, y }
```

Types are `bit`, `bool`, `byte`, `pid`, `short`, `int`, `unsigned`, `mtype`, `chan`, and typedefs that stand above.
",
    },
    Explanation {
        code: "P0106",
        title: "a label before a declaration",
        text: "A label marks a statement, and a declaration is none.

```promela
init { again: byte x; x = 1 }
```

Move the declaration before the label.
",
    },
    Explanation {
        code: "P0107",
        title: "nested too deeply",
        text: "Statements or parentheses are nested more than 400 levels deep, or a statement has more than 4000 operators.

Split it: use inlines, or variables for parts of an expression.
",
    },
    Explanation {
        code: "P0108",
        title: "`=` where `==` is meant",
        text: "`=` assigns and is a statement; `==` compares.

```promela
init { byte x; if :: (x = 1) -> skip fi }
```

Write `x == 1`.
",
    },
    Explanation {
        code: "P0109",
        title: "unknown inline",
        text: "Only inlines are called by name, and an inline must be defined above its first call.

```promela
init { reset() }
inline reset() { skip }
```

Move the inline up; start a proctype with `run`.
",
    },
    Explanation {
        code: "P0110",
        title: "an inline calls itself",
        text: "An inline is copied to where it is called, so it can't call itself, not even through others.

```promela
inline f() { f() }
init { f() }
```

Use a loop, or a process that is started with `run`.
",
    },
    Explanation {
        code: "P0111",
        title: "wrong number of arguments for an inline",
        text: "An inline is called with more or fewer arguments than it has parameters.

```promela
inline swap(a, b) { skip }
init { swap(1) }
```

Give one argument for each parameter.
",
    },
    Explanation {
        code: "P0112",
        title: "nothing takes the value that is returned",
        text: "`return` stands in an inline whose call is the right side of an assignment.

```promela
inline f() { return 3 }
init { f() }
```

Call it as in `x = f()`.
",
    },
    Explanation {
        code: "P0113",
        title: "embedded C is not supported",
        text: "SPIN pastes `c_code`, `c_expr`, `c_decl`, `c_state` and `c_track` into the C program it generates. Narrows generates none: it reads what a model does from its Promela text.

```promela
c_decl { int counter; }
```

Write in Promela what the C code does; `d_step` makes a long calculation one step.
",
    },
    Explanation {
        code: "P0114",
        title: "an inline is defined twice",
        text: "Two inlines have the same name.

```promela
inline f() { skip }
inline f() { skip }
```

Rename one of them.
",
    },
    Explanation {
        code: "P0115",
        title: "inline calls expand to too much text",
        text: "Inlines that call each other several times grow exponentially; together they grew to millions of tokens.

```promela
inline a() { b(); b() }
inline b() { c(); c() }
```

Use loops or processes instead.
",
    },
    Explanation {
        code: "P0116",
        title: "a formula is used as a number",
        text: "In a formula, the operators of expressions take expressions only. Temporal operators and `!` bind tighter than them.

```promela
ltl p { [] x == 1 }
```

Write `[] (x == 1)`. SPIN accepts the example, but checks something else; Narrows reads it as written here, with a
warning. Where no such reading exists, as in `(a U b) == 1`, it is an error.
",
    },
    Explanation {
        code: "P0117",
        title: "an empty block or option",
        text: "A block, a body or an option has at least one statement.

```promela
init { }
```

Write `skip` for a statement that does nothing.
",
    },
    Explanation {
        code: "P0118",
        title: "parameters are separated by `;`",
        text: "A comma separates parameters of the same type; another type needs `;` before it.

```promela
proctype P(byte a, byte b) { skip }
```

Write `proctype P(byte a; byte b)` or `proctype P(byte a, b)`.
",
    },
    Explanation {
        code: "P0119",
        title: "a declaration that stands outside of processes",
        text: "The names of an `mtype` are declared at the top level.

```promela
init { mtype = { red, green }; skip }
```

Move it out of the process.
",
    },
    Explanation {
        code: "P0120",
        title: "a set for a type that has none",
        text: "Only `mtype` has named sets; the width of an `unsigned` stands after the variable.

```promela
unsigned:3 x;
```

Write `unsigned x : 3`.
",
    },
    Explanation {
        code: "P0121",
        title: "unknown word",
        text: "A word stands where a keyword or a type is expected, and resembles one.

```promela
init { atmoic { skip } }
```

Correct the spelling.
",
    },
    Explanation {
        code: "P0122",
        title: "a send or a receive within an expression",
        text: "`c!x` and `c?x` are statements: they can't be operands of `&&` or of any other operator.

```promela
init { if :: n > 0 && c?x -> skip fi }
```

Write `n > 0 && c?[x] -> c?x`: `c?[x]` is true if the message can be received, and receives nothing.
",
    },
    Explanation {
        code: "P0123",
        title: "a temporal operator that does not say which paths it means",
        text: "In computation tree logic every temporal operator says whether it means all paths from a state or some path.

```text
[] (request -> <> grant)
p U q
```

Write `AG (request -> AF grant)` and `A[p U q]`, or with `E` for some path. A formula without `A` and `E` is one of
linear temporal logic: ask it with `--ltl`.
",
    },
    Explanation {
        code: "P0124",
        title: "an operator of C that Promela has not",
        text: "Promela has `++` and `--`, but no `+=`, `-=` and the like.

```promela
init { byte x; x += 2 }
```

Write `x = x + 2`.
",
    },
];
