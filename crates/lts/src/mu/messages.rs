//! What the messages about formulas mean.

use narrows_source::Explanation;

/// The messages about formulas, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "M0001",
        title: "something else was expected in a formula",
        text: "The formula does not follow the grammar here; the message says what could come next.

```text
[true* . \"A\"] and true
```

Behind `[…]` and `<…>` stands a formula, such as `false`.
",
    },
    Explanation {
        code: "M0002",
        title: "brackets of a formula do not match",
        text: "Each `(`, `<` and `[` needs its `)`, `>` and `]`.

```text
<(\"A\" . \"B\"> true
```

The message shows what is open, or what closes nothing.
",
    },
    Explanation {
        code: "M0003",
        title: "a label, a regular expression or a comment is not closed",
        text: "A label stands between `\"` and `\"`, a regular expression between `'` and `'`, both on one line; a comment
stands between `(*` and `*)`.

```text
<\"PUT !1> true
```

A `\"` within a label is written `\\\"`, and a backslash `\\\\`.
",
    },
    Explanation {
        code: "M0004",
        title: "a sign that formulas do not have",
        text: "Operators are words: `not`, `and`, `or`, `implies`, `equ`.

```text
<\"A\"> true && <\"B\"> true
```

Write `and` for `&&`.
",
    },
    Explanation {
        code: "M0005",
        title: "no regular expression",
        text: "What stands between `'` and `'` can't be read as a regular expression.

```text
<'PUT !(.*'> true
```

A `\\` before a sign with a meaning makes it an ordinary character: `'PUT !\\(.*'`.
",
    },
    Explanation {
        code: "M0006",
        title: "an unknown name in a formula",
        text: "A name within a formula about states is a variable, which a `mu` or `nu` around it must bind. A name within
`<…>` or `[…]` is a word such as `true`, `not` or `tau`; labels stand in quotes.

```text
mu X . (<PUT> Y)
```

Write `\"PUT\"` for the label, and `X` for the variable.
",
    },
    Explanation {
        code: "M0007",
        title: "a variable under an odd number of negations",
        text: "The value of `mu X . F` is the smallest set of states that equals `F` with this set in place of `X`. It exists
if a larger set for `X` never makes `F` smaller: each `X` must stand under an even number of negations. `not`, the left side
of `implies`, and both sides of `equ` negate.

```text
mu X . not <true> X
```

`mu X . [true] X` is a formula in its place: every run comes to an end.
",
    },
    Explanation {
        code: "M0008",
        title: "least and greatest fixpoints depend on each other",
        text: "A `mu` stands within a `nu`, or the other way round, and each depends on the other. `<R*> F` is a `mu` too, and
`[R*] F` a `nu`. Such formulas take much more time, and are not checked.

```text
nu X . <true* . \"A\"> X
```

That some run has infinitely many `A` is `<true* . \"A\"> @`, and that none has, `[true* . \"A\"] -|`: these are checked.
Otherwise, look for a formula whose inner part does not name the outer variable.
",
    },
    Explanation {
        code: "M0009",
        title: "a formula that is too large",
        text: "A formula may have 200 levels and 2000 operators.

Check parts of it one by one: if a formula is `F and G`, give both.
",
    },
    Explanation {
        code: "M0010",
        title: "a path where an action is needed",
        text: "`not`, `and`, `or`, `implies` and `equ` within `<…>` and `[…]` are about labels. Paths, which `.`, `|`, `*`, `+`
and `?` make, have no such operators.

```text
<not (\"A\" . \"B\")> true
```

`|` stands for `or` between paths. For two paths at once, join formulas: `<R> F and <S> G`.
",
    },
    Explanation {
        code: "M0101",
        title: "a variable that is never used",
        text: "A `mu` or `nu` binds a variable that its body does not name, so it means the body alone.

```text
mu X . <true> Y
```

Perhaps another name is misspelt.
",
    },
    Explanation {
        code: "M0102",
        title: "a fixpoint whose body has no parentheses",
        text: "The body of `mu X .` reaches as far as it can. Other programs may let it end before the first `and` or `or`.

```text
mu X . <\"A\"> true or <true> X
```

Write `mu X . (<\"A\"> true or <true> X)`.
",
    },
    Explanation {
        code: "M0103",
        title: "an endless repetition of nothing",
        text: "`<R> @` asks for an endless sequence of paths that fit `R`. If the path without edges fits, it can be repeated
for ever in any state, and the formula is always true.

```text
<\"A\"*> @
```

Write `<\"A\"> @`, or `R+` in place of `R*`.
",
    },
    Explanation {
        code: "M0104",
        title: "no label fits",
        text: "No edge of the graph has the label, or one that the regular expression matches as a whole: `[…]` with it is
always true, and `<…>` always false.

```text
[true* . \"EROR\"] false
```

A misspelt label would make this formula hold. Labels with values are matched as a whole too: for `PUT !1`, `PUT !2` and
so on write `'PUT .*'`.
",
    },
];
