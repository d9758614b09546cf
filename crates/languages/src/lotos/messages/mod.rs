//! What the messages of this front end mean.

use narrows_source::Explanation;

/// Every explanation, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "L0001",
        title: "a character that does not belong here",
        text: "No word or sign of LOTOS begins with this character.

```lotos
behaviour a; \"stop
```

Remove it. Comments are written `(* … *)`.
",
    },
    Explanation {
        code: "L0002",
        title: "a comment without an end",
        text: "A comment begins with `(*` and ends with `*)`; this one does not end.

```lotos
(* the sender
```

Add `*)`.
",
    },
    Explanation {
        code: "L0100",
        title: "something else was expected",
        text: "The text does not follow the grammar of LOTOS here; the message says what could come next.

```lotos
process P [a] noexit := a; stop endproc
```

Often something is missing right before this place: here, the `:` before `noexit`.
",
    },
    Explanation {
        code: "L0102",
        title: "nested too deeply",
        text: "Parentheses, choices and the like are within each other more than 400 times.

Give names to the inner parts: make processes of them.
",
    },
    Explanation {
        code: "L0201",
        title: "unknown sort",
        text: "There is no sort of this name. Sorts are declared in types, or come with the library.

```lotos
g ?x:Nat; stop
```

Correct the name, or add `library Natural endlib`.
",
    },
    Explanation {
        code: "L0202",
        title: "declared twice",
        text: "Two things of one kind have the same name here.

```lotos
process P [a, a] : noexit := a; stop endproc
```

Rename one of them. Two copies of a type are told apart with `renamedby`.
",
    },
    Explanation {
        code: "L0203",
        title: "unknown type of the library",
        text: "The library has no type of this name.

```lotos
library Booleen endlib
```

The message lists the types there are.
",
    },
    Explanation {
        code: "L0204",
        title: "unknown type",
        text: "A type takes from another one that is not there.

```lotos
type T is Boolean endtype
```

Correct the name. Types of the library have to be asked for: `library Boolean endlib`.
",
    },
    Explanation {
        code: "L0205",
        title: "a type made of itself",
        text: "A type is a changed copy of itself, perhaps by way of others.

```lotos
type T is T renamedby sortnames S for R endtype
```

Break the circle.
",
    },
    Explanation {
        code: "L0206",
        title: "an infix operation without two arguments",
        text: "An operation `_op_` stands between its two arguments.

```lotos
opns _not_ : Bool -> Bool
```

Write `not : Bool -> Bool`.
",
    },
    Explanation {
        code: "L0207",
        title: "built in with other sorts",
        text: "A remark `(*! builtin … *)` goes with some sorts only.

```lotos
opns same (*! builtin equal *) : Colour -> Bool
```

`builtin equal` and `builtin not_equal` compare two values of one sort and give a `Bool`; the others are for numbers.
",
    },
    Explanation {
        code: "L0208",
        title: "no truth values",
        text: "A guard, predicate or premise that is no equation needs the sort `Bool` with `true` and `false`.

```lotos
[x] -> stop
```

Add `library Boolean endlib`.
",
    },
    Explanation {
        code: "L0210",
        title: "unknown variable or operation",
        text: "There is no variable and no operation of this name here.

```lotos
put !mesage; stop
```

Correct the name. A process knows its own parameters alone.
",
    },
    Explanation {
        code: "L0211",
        title: "no operation takes these values",
        text: "There are operations of this name, but none for so many values of these sorts.

```lotos
[true < 1] -> stop
```

The message lists the operations there are.
",
    },
    Explanation {
        code: "L0212",
        title: "two sides of different sorts",
        text: "Both sides of an equation must have a sort in common.

```lotos
[x = true] -> stop
```

Compare values of one sort.
",
    },
    Explanation {
        code: "L0213",
        title: "a value of another sort",
        text: "Another sort is expected here than the value has.

```lotos
P [a] (true)
```

Give a value of the sort that is wanted.
",
    },
    Explanation {
        code: "L0214",
        title: "several meanings are possible",
        text: "Operations of the same name belong to different sorts, and nothing says which one is meant.

```lotos
put !0; stop
```

Say it: `0 of Nat`.
",
    },
    Explanation {
        code: "L0220",
        title: "a left side without operation",
        text: "The left side of an equation is an operation with its arguments, not a variable.

```lotos
eqns forall x : Nat ofsort Nat x = 0;
```

Turn the equation round, or leave it out.
",
    },
    Explanation {
        code: "L0221",
        title: "an equation for something built in",
        text: "What this operation gives is known; equations can't change it.

```lotos
eqns ofsort Nat 1 + 1 = 3;
```

Leave the equation out, or use an operation of your own. Digits that a type declares, as in `opns 2 : -> Nat`, may have equations that
say what they are anyway: `2 = succ (1)`.
",
    },
    Explanation {
        code: "L0222",
        title: "a constructor with an equation",
        text: "Values of constructors are what they are. An equation would make two different ones equal.

```lotos
opns empty (*! constructor *) : -> Set
     add (*! constructor *) : Nat, Set -> Set
eqns add (x, add (x, s)) = add (x, s);
```

Make another operation, such as `insert`, that builds the right value.
",
    },
    Explanation {
        code: "L0223",
        title: "a variable without value",
        text: "A variable on the right side, or in a premise, does not stand on the left side.

```lotos
eqns forall x, y : Nat ofsort Nat double (x) = x + y;
```

Use only variables of the left side.
",
    },
    Explanation {
        code: "L0224",
        title: "no constructor within a left side",
        text: "Equations tell values apart by their constructors; other operations are computed before.

```lotos
eqns f (g (x)) = x;
```

Tell the cases apart by constructors, or with premises on variables: `g (y) eq x => f (y) = x`.
",
    },
    Explanation {
        code: "L0225",
        title: "values without equation",
        text: "For some values no equation says what this operation gives. If one of them comes up, there is no next step, and no answer.

```lotos
opns pred : Nat -> Nat
eqns forall x : Nat ofsort Nat pred (succ (x)) = x;
```

Add the equation that is missing, if it can come up.
",
    },
    Explanation {
        code: "L0230",
        title: "a parameter without value",
        text: "The specification has parameters, and nobody says what they are.

```lotos
specification S [a] (n : Nat) : noexit
```

Give values: `-D n=3` on the command line, or `constants` in a study.
",
    },
    Explanation {
        code: "L0231",
        title: "unknown parameter",
        text: "A value is given for a parameter that the specification does not have. With the name of a sort of numbers, as in `-D Nat=7`, it is the
greatest number that is tried where nobody decides.

```lotos
narrows check model.lotos -D m=3
```

Correct the name.
",
    },
    Explanation {
        code: "L0240",
        title: "a wrong functionality",
        text: "A process may end, or ends with other values, than stands behind its parameters.

```lotos
process P [a] : noexit := a; exit endproc
```

The message says what to write.
",
    },
    Explanation {
        code: "L0241",
        title: "a process that never ends",
        text: "A process is said to end, and no way through it does.

```lotos
process P [a] : exit := a; stop endproc
```

Write `noexit`, or `exit` in its text.
",
    },
    Explanation {
        code: "L0242",
        title: "ways that end differently",
        text: "Alternatives, and processes side by side, must end with values of the same sorts.

```lotos
exit (0) [] exit (true)
```

Make them end alike.
",
    },
    Explanation {
        code: "L0243",
        title: "what is accepted is not what is given",
        text: "What comes after `>>` accepts other values than come before it.

```lotos
exit (0) >> accept b : Bool in stop
```

Accept values of the same sorts, in the same order.
",
    },
    Explanation {
        code: "L0244",
        title: "something after what never ends",
        text: "The left side of `>>` never ends.

```lotos
a; stop >> b; stop
```

Perhaps `exit` is meant where `stop` stands.
",
    },
    Explanation {
        code: "L0250",
        title: "unknown gate",
        text: "There is no gate of this name here.

```lotos
process P [put] : noexit := ptu; stop endproc
```

Correct the name, or add it to the gates of the process.
",
    },
    Explanation {
        code: "L0260",
        title: "unknown process",
        text: "There is no process of this name here.

```lotos
Sendr [put]
```

Correct the name. A process knows those in its own `where`, and those beside and around it.
",
    },
    Explanation {
        code: "L0261",
        title: "gates or values that do not match",
        text: "A process is called with more or fewer gates or values than it has.

```lotos
Sender [put]
```

Give one for each, in order.
",
    },
    Explanation {
        code: "L0301",
        title: "a process that comes back without a step",
        text: "A process calls itself, perhaps by way of others, before any action. Nothing could ever happen there.

```lotos
process P [a] : noexit := P [a] [] a; stop endproc
```

Put an action before the call. If a guard stands before it, it is tried.
",
    },
    Explanation {
        code: "L0302",
        title: "perhaps no end of states",
        text: "A process calls itself within `|[…]|`, `hide`, or on the left of `>>` or `[>`: each call adds to the state.

```lotos
process P [a] : noexit := a; (P [a] ||| P [a]) endproc
```

If a parameter bounds the calls, all is well. Otherwise a search ends with a limit at last.
",
    },
    Explanation {
        code: "L0303",
        title: "no end of gates",
        text: "A process calls itself with gates that it hides itself: each call has new ones.

```lotos
process P [a] : noexit := hide b in a; P [b] endproc
```

Hide the gate outside.
",
    },
    Explanation {
        code: "L0304",
        title: "a gate that is never used",
        text: "A gate is declared, and nothing happens at it.

```lotos
process P [a, b] : noexit := a; stop endproc
```

Leave it out.
",
    },
    Explanation {
        code: "L0305",
        title: "two sides that never agree",
        text: "At a gate that two sides share, they use different numbers or sorts of values. Nothing can happen there.

```lotos
put !1; stop |[put]| put ?x:Bool; stop
```

Use the same sorts on both sides.
",
    },
    Explanation {
        code: "L0306",
        title: "one side that waits for ever",
        text: "Two sides share a gate, and only one of them ever does something there.

```lotos
put; stop |[put]| stop
```

Leave the gate out of the list, or let the other side take part.
",
    },
    Explanation {
        code: "L0401",
        title: "a term without value",
        text: "No equation fits a term that comes up, so that there is no next step.

```lotos
head (nil)
```

Add an equation, or a guard before it.
",
    },
    Explanation {
        code: "L0402",
        title: "rewriting without end",
        text: "Equations lead on and on.

```lotos
eqns ofsort Nat f (x) = f (x);
```

Equations must lead to something simpler.
",
    },
    Explanation {
        code: "L0403",
        title: "no end of values",
        text: "An action `?x:S` or `choice x:S` is open to all values of a sort with no end of them, or to more than a million values at once, and no partner decides which one.

```lotos
put ?x:Nat; stop
```

Let a partner offer a value, use a sort with few values, or bound the numbers: `put ?x:Nat [x le 7]`, or `-D Nat=7` for all of
them.
",
    },
    Explanation {
        code: "L0404",
        title: "calls without end",
        text: "Processes call each other without a step in between.

```lotos
process P [a] (n : Nat) : noexit := [n >= 0] -> P [a] (n) endproc
```

Put an action before the call.
",
    },
    Explanation {
        code: "L0405",
        title: "a number that is too large",
        text: "Natural numbers are below 2147483648.

```lotos
2 ** 40
```

Use smaller numbers.
",
    },
    Explanation {
        code: "L0406",
        title: "a difference below zero",
        text: "Natural numbers begin with 0.

```lotos
1 - 2
```

Compare before you subtract.
",
    },
    Explanation {
        code: "L0407",
        title: "division by zero",
        text: "A number is divided by 0.

```lotos
1 div 0
```

Compare before you divide.
",
    },
    Explanation {
        code: "L0408",
        title: "values that are nested too deeply",
        text: "A value, such as a list, has grown beyond thousands of constructors within each other.

```lotos
Grow [a] (cons (x, list))
```

Bound it: a guard on its length.
",
    },
    Explanation {
        code: "L0409",
        title: "processes that are nested too deeply",
        text: "A process has begun within itself thousands of times, and what is around it stays.

```lotos
process P [a, b] : exit := a; (P [a, b] >> b; exit) endproc
```

Bound it: a number as a parameter, and a guard.
",
    },
];
