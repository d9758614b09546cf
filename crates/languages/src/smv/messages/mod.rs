//! What the messages of this front end mean.

use narrows_source::Explanation;

/// Every explanation, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "V0001",
        title: "a character that does not belong here",
        text: "No word or sign of SMV begins with this character.

```smv
MODULE main
VAR x : boolean;
INIT x @ TRUE;
```

Remove it. Comments begin with `--`.
",
    },
    Explanation {
        code: "V0002",
        title: "a comment without an end",
        text: "A comment that begins with `/--` ends with `--/`, and this one does not.

```smv
MODULE main
VAR x : boolean; /-- the state
```

Add `--/`, or use `--`, which ends with the line.
",
    },
    Explanation {
        code: "V0003",
        title: "a number that can't be read",
        text: "A word is written with its base and its width, such as `0ud8_25`, `0b_1010` or `0sh8_7f`, and has to fit. Numbers have at most 63 bits.

```smv
MODULE main
VAR x : word[4];
ASSIGN init(x) := 0ud4_16;
```

Use a wider word, or a smaller number.
",
    },
    Explanation {
        code: "V0100",
        title: "something else was expected",
        text: "The text does not follow the grammar of SMV here; the message says what could come next.

```smv
MODULE main
VAR x boolean;
```

Often a `;` or a `:` is missing before this place.
",
    },
    Explanation {
        code: "V0102",
        title: "nested too deeply",
        text: "Parentheses, cases and types are within each other more than 400 times.

Give names to the inner parts with DEFINE.
",
    },
    Explanation {
        code: "V0103",
        title: "a case without its end",
        text: "A `case` needs its `esac`.

```smv
MODULE main
VAR x : 0..3;
ASSIGN
  next(x) := case x < 3 : x + 1; TRUE : 0;
```

Add `esac` after the last branch.
",
    },
    Explanation {
        code: "V0200",
        title: "no module `main`",
        text: "The model is what the module `main` says; there is none.

```smv
MODULE mian
VAR x : boolean;
```

Rename the outermost module.
",
    },
    Explanation {
        code: "V0201",
        title: "unknown name",
        text: "There is no variable, definition, parameter or symbol of this name here. Names of other instances are reached through them: `p.x`.

```smv
MODULE main
VAR count : 0..3;
INIT cuont = 0;
```

Correct the name. A name may hold a minus sign: write `a - b` with spaces for a difference.
",
    },
    Explanation {
        code: "V0202",
        title: "declared twice",
        text: "Two declarations of a module have the same name.

```smv
MODULE main
VAR x : boolean;
DEFINE x := TRUE;
```

Rename one of them.
",
    },
    Explanation {
        code: "V0203",
        title: "unknown module",
        text: "An instance is of a module that does not exist.

```smv
MODULE cell(a)
MODULE main
VAR c : cel(TRUE);
```

Correct the name of the module.
",
    },
    Explanation {
        code: "V0204",
        title: "wrong number of arguments",
        text: "A module or a function gets more or fewer arguments than it takes.

```smv
MODULE cell(a, b)
MODULE main
VAR c : cell(TRUE);
```

Give one argument for each parameter.
",
    },
    Explanation {
        code: "V0205",
        title: "a module that is part of itself",
        text: "An instance of a module contains an instance of the same module, and so on without an end.

```smv
MODULE cell
VAR inner : cell;
MODULE main
VAR c : cell;
```

Pass other instances as arguments instead of declaring them inside.
",
    },
    Explanation {
        code: "V0206",
        title: "assigned twice",
        text: "A variable gets its value from two assignments for the same time, or from `x := …` and `init(x)` or `next(x)` as well.

```smv
MODULE main
VAR x : boolean;
ASSIGN
  next(x) := TRUE;
  next(x) := FALSE;
```

Join them in one assignment with `case`. Different processes may assign the same variable.
",
    },
    Explanation {
        code: "V0207",
        title: "a value that needs itself",
        text: "To know a value one would have to know it already.

```smv
MODULE main
VAR x : boolean; y : boolean;
ASSIGN
  x := !y;
  y := x;
```

Break the circle by `next(x) := …` with current values on the right.
",
    },
    Explanation {
        code: "V0208",
        title: "a value of another kind",
        text: "A truth value, a number, a symbol and a word are different things, and words of different widths too.

```smv
MODULE main
VAR x : {red, green};
INIT x + 1 = 2;
```

Convert it: `toint`, `bool`, `word1`, `unsigned`, `signed`, `extend`, `resize`.
",
    },
    Explanation {
        code: "V0209",
        title: "not a constant",
        text: "The ends of ranges and arrays, the widths of words and bits, and the indices of instances must be known before anything runs.

```smv
MODULE main
VAR n : 0..3;
    x : 0..n;
```

Use a number, or a definition with a number.
",
    },
    Explanation {
        code: "V0210",
        title: "too large, or empty",
        text: "A range has at least one number, a word 1 to 64 bits, numbers at most 64 bits, a bound of a formula at most 10000 steps.

```smv
MODULE main
VAR x : 3..0;
```

Make it smaller, or swap the ends.
",
    },
    Explanation {
        code: "V0211",
        title: "`next` has no place here",
        text: "What comes after a step is known in TRANS and on the right of `next(x) := …` alone, and only one step ahead.

```smv
MODULE main
VAR x : boolean;
INIT next(x);
```

In specifications use `AX` or `X`.
",
    },
    Explanation {
        code: "V0212",
        title: "a temporal operator out of place",
        text: "Temporal operators stand in CTLSPEC and LTLSPEC; those of CTL say for which paths (`AG`, `EF`, `A [p U q]`), those of LTL do not (`G`, `F`, `p U q`).

```smv
MODULE main
VAR x : boolean;
CTLSPEC G x;
```

Use the operators of the logic at hand, or the other keyword.
",
    },
    Explanation {
        code: "V0213",
        title: "an input out of place",
        text: "Inputs (IVAR) belong to steps, and not to states: they can't stand in INIT, INVAR, CTLSPEC, INVARSPEC and in `next`.

```smv
MODULE main
IVAR go : boolean;
INIT go;
```

Declare it with VAR, or keep its last value in a variable.
",
    },
    Explanation {
        code: "V0214",
        title: "can't be assigned",
        text: "Only variables are assigned; inputs never are, and frozen variables have an `init` alone.

```smv
MODULE main
FROZENVAR x : boolean;
ASSIGN next(x) := TRUE;
```

Use INIT, INVAR or TRANS for constraints on other expressions.
",
    },
    Explanation {
        code: "V0215",
        title: "no such element or bit",
        text: "An index is outside of the array or word, or stands after something that has no elements.

```smv
MODULE main
VAR a : array 0..2 of boolean;
INIT a[3];
```

The message says which indices there are.
",
    },
    Explanation {
        code: "V0216",
        title: "a type without an end",
        text: "Variables of type `integer` or `real` have no end of values; only finite models are checked.

```smv
MODULE main
VAR x : integer;
```

Give it a range or a word: `x : -100..100;`.
",
    },
    Explanation {
        code: "V0217",
        title: "a set where a value is needed",
        text: "`{a, b}`, `a union b` and `1..3` stand for any of several values: on the right of assignments and of `in` alone.

```smv
MODULE main
VAR x : 0..3;
INIT x = {1, 2};
```

Write `x in {1, 2}`.
",
    },
    Explanation {
        code: "V0218",
        title: "a value that the variable can't have",
        text: "What is assigned is not among the values of the variable.

```smv
MODULE main
VAR x : 0..3;
ASSIGN init(x) := 4;
```

Change the type or the value.
",
    },
    Explanation {
        code: "V0219",
        title: "no definition to give a value to",
        text: "With `-D NAME=VALUE`, and under `[constant]` and `[sweep]` of a study, a definition of `main` gets another
value than the text gives it, or a frozen variable the only one it can have:

```text
MODULE main
DEFINE SIZE := 16;
FROZENVAR policy : {round_robin, fixed};
```

`-D SIZE=4 -D policy=fixed` is fine. Names in other modules can't be given values: pass them as parameters.
",
    },
    Explanation {
        code: "V0301",
        title: "numbers as truth values",
        text: "Older versions of SMV had 0 and 1 for FALSE and TRUE, and models still have `1 :` as the last branch of a case. They are read that way.

```smv
MODULE main
VAR x : boolean;
ASSIGN next(x) := case x : 0; 1 : 1; esac;
```

Write TRUE and FALSE.
",
    },
    Explanation {
        code: "V0302",
        title: "a specification that is not checked",
        text: "Of PSL, formulas are checked: `always`, `never`, `eventually!`, `next`, `until`, `before` and their relatives, and those of CTL. Specifications with regular expressions, `forall` or `abort` are skipped.

```smv
MODULE main
VAR x : boolean;
PSLSPEC always {x; x} |-> x;
```

Write it without them, or as LTLSPEC.
",
    },
    Explanation {
        code: "V0303",
        title: "twice in an enumeration",
        text: "A value stands twice in the enumeration of a type; it counts once.

```smv
MODULE main
VAR x : {red, green, red};
```

Remove one of them.
",
    },
    Explanation {
        code: "V0304",
        title: "a value that may be out of range",
        text: "Where the value is outside of the range of the variable, there is no such state: such states are left out in silence. (For `next(x) := …` the question *fault* finds out whether that happens.)

```smv
MODULE main
VAR x : 0..3; y : 0..7;
ASSIGN x := y + 1;
```

Use `mod` or a case to stay within the range.
",
    },
    Explanation {
        code: "V0305",
        title: "something that is not found out",
        text: "Whether there is a division by zero, an index outside of its array or a case without a branch is a question about states. \
               Where it depends on the state after a step, it is not asked; a division by zero gives 0, and a case its last value.

```smv
MODULE main
VAR x : 0..3;
TRANS 6 / next(x) = 2;
```

Keep the value in a variable, or make sure by a condition: `next(x) != 0 & 6 / next(x) = 2`.
",
    },
];
