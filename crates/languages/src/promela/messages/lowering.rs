//! The messages of lowering: names, types, processes, jumps.

use narrows_source::Explanation;

/// The messages of lowering.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "P0201",
        title: "unknown name",
        text: "No variable, symbolic name or predefined name is called so here.

```promela
active proctype P() { byte count; cuont = 1 }
```

A variable must be declared above its first use, in the same process or globally. Declare it, or correct the
spelling; the message suggests a name that is close.
",
    },
    Explanation {
        code: "P0202",
        title: "declared twice",
        text: "Two things in one scope have the same name: variables, fields, symbolic names, typedefs or proctypes.

```promela
byte x;
int x;
```

Rename one of them. A variable of an inner block may have the name of an outer one; it then hides it.
",
    },
    Explanation {
        code: "P0204",
        title: "unknown proctype",
        text: "A `run` or a remote reference names a proctype that the text does not declare.

```promela
proctype Worker() { skip }
init { run Wroker() }
```

Correct the spelling, or declare the proctype; it may stand below the `run`.
",
    },
    Explanation {
        code: "P0205",
        title: "wrong number of arguments",
        text: "A `run` must give each parameter of the proctype a value.

```promela
proctype P(byte a, b) { skip }
init { run P(1) }
```

Write `run P(1, 2)`. A structure counts as all its fields.
",
    },
    Explanation {
        code: "P0206",
        title: "not a channel",
        text: "A channel operation, or `[n] of { … }`, is used with a variable that is no channel.

```promela
int x;
init { x!1 }
```

Declare it with `chan x = [1] of { byte }`. A `byte` may carry a channel's number, but no narrower or wider type.
",
    },
    Explanation {
        code: "P0207",
        title: "an array without an index, or an index without an array",
        text: "An array is used one element at a time, and only an array has an index or a list of values.

```promela
byte x[2];
init { x = 2 }
```

Write `x[0] = 2`, or declare `byte x` without a length.
",
    },
    Explanation {
        code: "P0208",
        title: "unknown field",
        text: "The structure has no field of this name, or what stands before the dot is no structure.

```promela
typedef Point { byte x, y };
Point p;
init { p.z = 1 }
```

Fields are those of the typedef; the message shows where it stands.
",
    },
    Explanation {
        code: "P0209",
        title: "not a constant",
        text: "The length of an array, the capacity of a channel and the number of active processes must be known before anything runs.

```promela
init { byte n; byte a[n]; skip }
```

Use a number or a macro: `#define N 4`. A variable with a constant initial value also counts, as in SPIN: `byte n = 4`.
",
    },
    Explanation {
        code: "P0210",
        title: "an impossible length",
        text: "An array has 1 to 65535 elements.

```promela
byte a[0];
```

Give it a length in this range.
",
    },
    Explanation {
        code: "P0211",
        title: "the width of an unsigned variable",
        text: "`unsigned` needs a width of 1 to 31 bits, and no other type has one.

```promela
unsigned x;
byte y : 4;
```

Write `unsigned x : 4`. For 32 bits use `int`, which has a sign.
",
    },
    Explanation {
        code: "P0212",
        title: "unknown label",
        text: "A `goto` or a remote reference names a label that the process does not have.

```promela
init { again: skip; goto agian }
```

Correct the spelling. A `goto` can't leave its process.
",
    },
    Explanation {
        code: "P0213",
        title: "a label stands twice",
        text: "Two statements of one block have the same label, so a jump there could mean either.

```promela
init { l: skip; l: skip }
```

Rename one of them.
",
    },
    Explanation {
        code: "P0214",
        title: "`break` outside of a loop",
        text: "`break` leaves the innermost `do` or `for`, and there is none around it.

```promela
init { if :: true -> break fi }
```

An `if` needs no `break`. Use `goto` to go elsewhere.
",
    },
    Explanation {
        code: "P0215",
        title: "two options start with `else`",
        text: "`else` is executable when no other option is; two of them contradict each other.

```promela
init { if :: else -> skip :: else -> skip fi }
```

Join them: `:: else -> if :: … :: … fi`.
",
    },
    Explanation {
        code: "P0216",
        title: "a jump into or out of a d_step",
        text: "A `d_step` runs as one step: control enters at its start and leaves at its end.

```promela
init { goto inside; d_step { skip; inside: skip } }
```

Use `atomic` instead of `d_step`, or move the label.
",
    },
    Explanation {
        code: "P0217",
        title: "`run` inside of an expression",
        text: "`run` creates a process, so it can't be a part of an expression whose value might be asked for twice.

```promela
proctype P() { skip }
init { byte x = 1 + run P(); skip }
```

Make it a statement of its own, `run P()`, or the whole right side of an assignment: `p = run P()`.
",
    },
    Explanation {
        code: "P0218",
        title: "`run` inside of a d_step",
        text: "A `d_step` can't create processes.

```promela
proctype P() { skip }
init { d_step { run P() } }
```

Use `atomic` instead of `d_step`.
",
    },
    Explanation {
        code: "P0219",
        title: "too many processes at the start",
        text: "At most 255 processes exist at a time, as in SPIN.

```promela
active [300] proctype P() { skip }
```

Use fewer. For exhaustive checking, two or three often show what there is to see.
",
    },
    Explanation {
        code: "P0220",
        title: "a parameter that is an array or has an initial value",
        text: "A parameter is a single value or a structure; its value comes from the `run`.

```promela
proctype P(byte a[2]) { skip }
```

Make the array global, or put it into a typedef and pass that. Give the value where the process is run.
",
    },
    Explanation {
        code: "P0221",
        title: "two `init` processes",
        text: "A model has at most one `init`.

```promela
init { skip }
init { skip }
```

Join them, or make one an `active proctype`.
",
    },
    Explanation {
        code: "P0222",
        title: "`_` can't be read",
        text: "`_` takes values that nobody needs; they are thrown away.

```promela
byte x;
init { x = _ }
```

Use a variable of its own for a value that is needed later.
",
    },
    Explanation {
        code: "P0223",
        title: "this can't be assigned",
        text: "Symbolic names are constants, and names such as `_pid` and `_nr_pr` are set by Promela itself.

```promela
mtype = { red };
init { red = 3 }
```

Declare a variable: `mtype colour = red`.
",
    },
    Explanation {
        code: "P0224",
        title: "a whole structure where one value is needed",
        text: "A structure is used as a whole only in messages, in the arguments of a `run`, and in `for … in` over a channel.

```promela
typedef Point { byte x, y };
Point p, q;
init { p = q }
```

Assign the fields one by one: `p.x = q.x; p.y = q.y`.
",
    },
    Explanation {
        code: "P0225",
        title: "no statement",
        text: "A block or an option needs at least one statement.

```promela
chan c = [1] of { byte };
init { atomic { xr c } }
```

Write `skip` if nothing is to be done.
",
    },
    Explanation {
        code: "P0226",
        title: "a remote reference that comes too early",
        text: "`P[0]@label` and `P[0]:variable` need the inside of `P`, which is known only behind the proctype. The message also
comes if `P` has no label or no variable at all.

```promela
active proctype Q() { P[0]@here }
proctype P() { here: skip }
```

Move the proctype up, or give it the label. Formulas in `ltl` may stand anywhere.
",
    },
    Explanation {
        code: "P0227",
        title: "too many symbolic names",
        text: "A set of symbolic names has at most 255, since a value must fit into a byte.

```promela
mtype = { n1, n2, /* … */ n256 };
```

Put some of them into a set of their own: `mtype:colour = { red, green }`.
",
    },
    Explanation {
        code: "P0228",
        title: "an impossible capacity",
        text: "A channel holds 0 to 65535 messages; 0 makes it a rendezvous channel.

```promela
chan c = [70000] of { byte };
```

Use a smaller capacity. Each place in a channel is part of every state, so small ones are also faster to check.
",
    },
    Explanation {
        code: "P0229",
        title: "a channel created behind the first statement",
        text: "Channels are created when their process is, before its first statement.

```promela
init { skip; chan c = [1] of { byte }; c!1 }
```

Move the declaration to the start of the process, or make it global.
",
    },
    Explanation {
        code: "P0230",
        title: "`for … in` needs an array",
        text: "`for (i in a)` goes through the indices of an array, or through the messages of a channel if `i` is a structure with the
fields of a message.

```promela
byte i, n;
init { for (i in n) { skip } }
```

Use `for (i : 1 .. n) { … }` to count.
",
    },
    Explanation {
        code: "P0231",
        title: "no process runs at the start",
        text: "The model declares proctypes, but nothing starts one.

```promela
proctype P() { skip }
```

Write `active proctype P()`, or add `init { run P() }`.
",
    },
    Explanation {
        code: "P0232",
        title: "a label at the start of an escape",
        text: "The first statement of the sequence behind `unless` can't have a label, because it is tested at every statement it
guards and has no place of its own.

```promela
byte x;
init { { x = 1 } unless out: x == 1 }
```

Put the label on a later statement: `unless { x == 1; out: skip }`.
",
    },
    Explanation {
        code: "P0233",
        title: "more values than elements",
        text: "The list of initial values is longer than the array.

```promela
byte a[2] = { 1, 2, 3 };
```

Leave some out, or make the array longer. With fewer values than elements, the last one is repeated, as in SPIN.
",
    },
    Explanation {
        code: "P0234",
        title: "unknown variable of another process",
        text: "`P[0]:x` names a variable that `P` does not have at its top level.

```promela
proctype P() { byte count; skip }
active proctype Q() { P[0]:conut == 1 }
```

Correct the spelling. Variables of inner blocks can't be seen from outside; a global variable always can.
",
    },
    Explanation {
        code: "P0235",
        title: "a process that is too large",
        text: "A process has more than 65 000 statements; its inlines count at each call.

Write loops instead of copies, or split it into several processes.
",
    },
    Explanation {
        code: "P0236",
        title: "a circle of jumps",
        text: "Jumps lead to jumps, and no statement is ever reached.

```promela
init { a: goto b; b: goto a }
```

Put a `skip` into the circle if the process is meant to turn for ever, or correct a label.
",
    },
    Explanation {
        code: "P0237",
        title: "an unsigned message field",
        text: "The fields of messages have whole types; `unsigned` with its width is for variables.

```promela
chan c = [1] of { unsigned };
```

Use `bit`, `byte`, `short` or `int`.
",
    },
    Explanation {
        code: "P0238",
        title: "an empty range",
        text: "`select` chooses a value from a range, and this one contains none.

```promela
byte i;
init { select (i : 5 .. 2) }
```

The lower bound comes first: `select (i : 2 .. 5)`.
",
    },
    Explanation {
        code: "P0239",
        title: "a channel can't count",
        text: "The variable of a `for` or a `select` takes numbers.

```promela
chan c;
init { for (c : 1 .. 3) { skip } }
```

Use a variable of type `byte`, `short` or `int`.
",
    },
    Explanation {
        code: "P0240",
        title: "too much memory",
        text: "All variables, arrays and channels that a model declares may take 1 MiB of a state together, and there may be 32 000
proctypes and as many channel declarations. Every step copies a state, so larger ones could not be explored anyway.

```promela
int matrix[60000];
chan c = [60000] of { int, int, int, int, int };
```

Make arrays shorter, messages smaller, or channels less deep: a model shows the idea, not the real sizes.
",
    },
    Explanation {
        code: "P0301",
        title: "a hidden variable",
        text: "A `hidden` variable is no part of a state: two states that differ only in it count as one, and it keeps the value of
the run by which the state was first reached. This is a warning.

```promela
hidden byte x;
init { x = 1 }
```

Use it only for values that nothing depends on between two steps. Otherwise drop `hidden`, or the search may miss
runs.
",
    },
    Explanation {
        code: "P0302",
        title: "a message with another number of fields",
        text: "A send or a receive has more or fewer fields than the channel's messages. This is a warning; when the statement is
executed, it is a fault.

```promela
chan c = [1] of { byte, byte };
init { c!1 }
```

Give every field a value, or `_` in a receive for one that nobody needs.
",
    },
    Explanation {
        code: "P0303",
        title: "a constant that does not fit",
        text: "A value is cut off when it is stored: a `bit` keeps one bit, a `byte` eight, and so on. This is a warning.

```promela
byte x = 300;
```

Use a wider type. Here 44 is stored, which is 300 − 256.
",
    },
    Explanation {
        code: "P0304",
        title: "a structure with an initial value",
        text: "A variable whose type is a typedef is given a value as a whole. SPIN takes no notice of it; nor do we, with this warning:
its fields start with the values that the typedef gives them, or with 0.

```promela
typedef Point { byte x; byte y };
Point p = 3;
init { assert(p.x == 0) }
```

Assign the fields one by one, or give them values in the typedef.
",
    },
    Explanation {
        code: "P0306",
        title: "the position of a message kept as one bit",
        text: "`c??[…]` gives the position of the first message that matches, counted from 1, and 0 if there is none. A `bool` keeps only
its lowest bit, so position 2 looks like no match. This is a warning.

```promela
chan c = [2] of { byte };
bool b;
init { b = c??[3] }
```

Compare it: `b = (c??[3] > 0)`.
",
    },
    Explanation {
        code: "P0307",
        title: "`else` beside a channel operation",
        text: "An option starts with a send, a receive, `full`, `empty`, `nfull` or `nempty`, and another with `else`. The `else` is taken
whenever the operation can't be executed at that moment, which others may change in the next one. SPIN calls this
dubious, and refuses it where `xr` or `xs` is used. This is a warning.

```promela
chan c = [1] of { byte };
init { if :: c!1 :: else -> skip fi }
```

If that moment is meant, say so with a test: `:: len(c) == 0 -> c!1 :: else -> skip`.
",
    },
];
