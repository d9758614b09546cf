//! What the messages about graphs mean.

use narrows_source::Explanation;

/// Every explanation, by code.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "G0001",
        title: "a graph without its first line",
        text: "A graph begins with a line that names the initial state, the number of edges and the number of states. The two
numbers may be `?`; then they are counted.

```aut
des (0, 2, 2)
(0, \"PUT\", 1)
(1, \"GET\", 0)
```

Write that line first.
",
    },
    Explanation {
        code: "G0002",
        title: "a line that is not an edge",
        text: "Every line after the first is an edge: the state it leaves, its label, and the state it leads to. A label with a
quote at its start ends with a quote.

```aut
des (0, 1, 2)
(0, \"PUT, 1)
```

Write `(0, \"PUT\", 1)`.
",
    },
    Explanation {
        code: "G0003",
        title: "a number of a graph that can't be read",
        text: "States are numbers from 0 to 4294967294.

```aut
des (0, 1, 2)
(zero, \"PUT\", 1)
```

Use a number.
",
    },
    Explanation {
        code: "G0004",
        title: "a state that the graph does not have",
        text: "The first line says how many states there are; they are numbered from 0, so that the last one is one less.

```aut
des (0, 1, 2)
(0, \"PUT\", 2)
```

Correct the number, or write `?` in the first line.
",
    },
    Explanation {
        code: "G0005",
        title: "more or fewer edges than announced",
        text: "The first line says how many edges there are. A file with fewer may have been cut off.

```aut
des (0, 2, 2)
(0, \"PUT\", 1)
```

Correct the number, or write `?` for it.
",
    },
    Explanation {
        code: "G0006",
        title: "a graph that is too large",
        text: "A graph has at most 4294967294 states, edges and labels.

Make it smaller first, with the program that wrote it.
",
    },
    Explanation {
        code: "G0007",
        title: "a parameter for a graph",
        text: "A graph has states and edges, and no names that could get a value with `-D` or in a study.

Leave the value out, or give it to the model that the graph was made of.
",
    },
];
