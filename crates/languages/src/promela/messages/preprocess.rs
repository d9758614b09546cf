//! The messages of the preprocessor and the lexer.

use narrows_source::Explanation;

/// The messages of the preprocessor and the lexer.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "P0001",
        title: "unknown directive",
        text: "A line that starts with `#` is a directive of the preprocessor, and this one is none.

```promela
#defnie N 3
```

Write `#define`, `#undef`, `#include`, `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, `#error` or `#warning`.
",
    },
    Explanation {
        code: "P0002",
        title: "a file can't be included",
        text: r#"The file named by `#include` was not found or can't be read.

```promela
#include "channels.h"
```

The name is relative to the file that includes it.
"#,
    },
    Explanation {
        code: "P0003",
        title: "includes are nested too deeply",
        text: "Files include each other more than 64 levels deep, or more than 1000 files or 16 MiB of text are included in all; most
often a file includes itself.

```promela
#ifndef CHANNELS
#define CHANNELS
/* ... */
#endif
```

Guard the text of an included file like this.
",
    },
    Explanation {
        code: "P0004",
        title: "unterminated conditional",
        text: "An `#if`, `#ifdef` or `#ifndef` has no `#endif` in the same file.

```promela
#ifdef FAST
byte n = 3;
```

Add the `#endif`.
",
    },
    Explanation {
        code: "P0005",
        title: "a conditional directive without its `#if`",
        text: "An `#elif`, `#else` or `#endif` belongs to an `#if` before it, and at most one `#else` comes last.

```promela
byte n;
#endif
```

Remove it, or add the `#if`.
",
    },
    Explanation {
        code: "P0006",
        title: "malformed condition of the preprocessor",
        text: "The condition of `#if` or `#elif` is an expression over numbers, macros and `defined(NAME)`; `#ifdef` and `#ifndef` take one name.

```promela
#if N >
#endif
```

Complete the expression. A name that is no macro counts as 0.
",
    },
    Explanation {
        code: "P0007",
        title: "`#error`",
        text: "The text itself asks to stop here, most often because a definition is missing.

```promela
#ifndef N
#error define N
#endif
```

Do what the message says; definitions can be given on the command line.
",
    },
    Explanation {
        code: "P0008",
        title: "`#warning`",
        text: "The text itself warns here.

```promela
#warning this model is a sketch
```
",
    },
    Explanation {
        code: "P0009",
        title: "malformed definition",
        text: "`#define` and `#undef` need a name; the parameters of a macro are names, separated by commas, and `(` follows the name at once.

```promela
#define MAX(a b) a
```

Write `#define MAX(a, b) a`.
",
    },
    Explanation {
        code: "P0010",
        title: "a macro is defined again",
        text: "A second `#define` gives a macro another meaning from there on.

```promela
#define N 3
#define N 4
```

Remove one of them, or write `#undef N` between them.
",
    },
    Explanation {
        code: "P0011",
        title: "wrong number of arguments for a macro",
        text: "A macro is used with more or fewer arguments than it has parameters.

```promela
#define SUM(a, b) (a + b)
byte n = SUM(1);
```

Put parentheses around an argument that contains a comma.
",
    },
    Explanation {
        code: "P0012",
        title: "unterminated call of a macro",
        text: "The arguments of a macro have no closing parenthesis.

```promela
#define TWICE(a) (a + a)
byte n = TWICE(1;
```

Add the `)`. Arguments can't contain directives.
",
    },
    Explanation {
        code: "P0013",
        title: "`##` makes no token",
        text: "The operator `##` joins two tokens of a macro to one, and these two don't make one.

```promela
#define JOIN(a, b) a ## b
byte JOIN(x, +);
```

Join names with names or digits.
",
    },
    Explanation {
        code: "P0014",
        title: "a macro's expansion is too large",
        text: "Macros that use each other several times grow exponentially; this one grew to millions of tokens, or is nested too deeply.

```promela
#define A B B B B
#define B C C C C
```

Use an `inline`, a loop or an array instead.
",
    },
    Explanation {
        code: "P0015",
        title: "unterminated comment",
        text: "A comment that starts with `/*` has no `*/`.

```promela
/* the rest of the file is a comment
```

Add `*/`.
",
    },
    Explanation {
        code: "P0016",
        title: "unterminated string",
        text: r#"A string has no closing quote on its line.

```promela
printf("hello);
```

Add the quote; write `\n` for a line break.
"#,
    },
    Explanation {
        code: "P0017",
        title: "unexpected character",
        text: "No token of Promela starts with this character.

```promela
x = 3 $ 4
```

Remove it.
",
    },
    Explanation {
        code: "P0018",
        title: "malformed number",
        text: "Numbers are decimal.

```promela
int n = 0x10;
```

Write 16.
",
    },
    Explanation {
        code: "P0019",
        title: "a string between single quotes",
        text: r#"Single quotes hold one character, such as `'a'` or `'\n'`, which is a number. A string stands between double quotes.

```promela
init { printf('hello\n') }
```

Write `printf("hello\n")`.
"#,
    },
    Explanation {
        code: "P0020",
        title: "the end of a comment that never began",
        text: "`*/` stands where no comment is open. SPIN leaves it out without a word; so do we, with this warning.

```promela
byte x; /* a counter */ */
```

Remove it. If more text was meant to be a comment, put `/*` before that.
",
    },
    Explanation {
        code: "P0021",
        title: "an operator with a sign too many",
        text: "SPIN reads `<=<` as `<<`, `>=>` as `>>` and `!!=` as `!=`. So do we, with this warning, because it is rarely meant.

```promela
init { byte x = 2; x <=< 3 }
```

Write the operator that is meant, here `<<` or `<=`.
",
    },
    Explanation {
        code: "P0022",
        title: "a number that is too large",
        text: "Numbers go from −2147483648 to 2147483647. Of a larger one SPIN keeps the lower 32 bits, as a number with a sign; so do
we, with this warning.

```promela
int n = 4294967295;
```

Here −1 is used. Write the number that is meant.
",
    },
];
