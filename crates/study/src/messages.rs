//! What `narrows explain` says about study files.

use narrows_source::Explanation;

/// Returns everything there is to say.
pub fn explanations() -> &'static [Explanation] {
    EXPLANATIONS
}

const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "S0000",
        title: "not TOML",
        text: "A study is a file in the format TOML, and this one breaks its rules.\n\n\
               Often a quote or a bracket is not closed, a key stands twice, or a text has no quotes.\n",
    },
    Explanation {
        code: "S0001",
        title: "unknown key",
        text: "There is no such key here. The message names the nearest one, or lists what there is.\n",
    },
    Explanation {
        code: "S0002",
        title: "wrong kind of value",
        text: "A text is needed where a number stands, or a table where a text stands, and so on.\n\n\
               Expressions of the model are texts: `HSD = \"hs_state == HostSendDma\"`.\n",
    },
    Explanation {
        code: "S0003",
        title: "something is missing",
        text: "A study needs a `model`, one with delays a `unit`, and a question all parts that it is made of.\n",
    },
    Explanation {
        code: "S0004",
        title: "no statement",
        text: "A statement of a Promela model is named by its process type and its label: `\"dma:ebus_done\"` is the \
               statement after the label `ebus_done` in `proctype dma`.\n\n\
               If the statement has no label, give it one: labels change nothing in the model.\n",
    },
    Explanation {
        code: "S0005",
        title: "wrong number or time",
        text: "A delay is one of\n\n```toml\n\"dma:done\" = { fixed = 248 }\n\"dma:done\" = { between = [200, 248] }\n\
               \"dma:done\" = { exponential = 248 }\n\"dma:done\" = { erlang = 248, stages = 4 }\n```\n\n\
               The numbers are times in the study's unit, or texts with a unit of their own: `\"0.2 ms\"`. Those of \
               `exponential` and `erlang` are means.\n",
    },
    Explanation {
        code: "S0006",
        title: "what is the question?",
        text: "An `[[ask]]` asks one thing: `max_delay = { from = \"…\", to = \"…\" }`, `throughput = \"event\"`, and so \
               on. Beside it there may be a `name`, a `view`, and what to `expect`.\n",
    },
    Explanation {
        code: "S0007",
        title: "no event",
        text: "A throughput is that of an event. Events stand under `[event]`, each with the statement that it is: \
               `sent = \"netSend:sent\"`. A statement may also be named directly.\n",
    },
    Explanation {
        code: "S0008",
        title: "delay or weights inside an atomic sequence",
        text: "An atomic sequence runs through without a pause, as a single step. So a statement inside it can't take \
               time, and a choice inside it has no weights.\n\n\
               Give the delay to the first statement of the sequence, or end the sequence before the statement.\n",
    },
    Explanation {
        code: "S0009",
        title: "no predicate",
        text: "A formula with temporal operators stands where something is asked of single states.\n",
    },
    Explanation {
        code: "S0010",
        title: "nothing to vary",
        text: "Under `[sweep]` stand constants of the model, or delays by the name of their statement, each with a list of \
               values: `PACKETS = [1, 2, 4]`, `\"dma:done\" = [100, 200]`. All combinations are measured, up to 10000.\n",
    },
    Explanation {
        code: "S0011",
        title: "no such resource",
        text: "`overlap` is about two resources of the study, which stand under `[resource]`: names, each with a \
               predicate that holds while it is busy.\n",
    },
    Explanation {
        code: "S0012",
        title: "no such constant",
        text: "Under `[constant]`, and with `-D`, macros of the model get values. Nothing in the model has this name, so it \
               would make no difference; mostly it is misspelt.\n",
    },
    Explanation {
        code: "C0001",
        title: "not a coherence table",
        text: "A coherence table has `states`, each with what a cache has in it (`none`, `shared` or `exclusive`), and rows for \
               `load` and `store`:\n\n```toml\n[states]\nM = \"exclusive\"\nS = \"shared\"\nI = \"none\"\n\n[[load]]\nown = \
               [\"M\", \"S\"]\ntransfer = \"hit\"\n```\n\nA study names a file beside it that ends with `.toml`, or a table that \
               comes with the program, such as `mesi-a`.\n",
    },
    Explanation {
        code: "C0002",
        title: "no row, or several, for an access",
        text: "For each combination of states that the caches can come to, and each access of each cache, exactly one row of the \
               table must fit. The message says which combination, and how it comes about.\n",
    },
    Explanation {
        code: "C0003",
        title: "two copies where one should be alone",
        text: "A state that is `exclusive` is for the only copy of a line. The run shows how a cache comes to be in it while \
               another has a copy too, so that two could write at the same time.\n\nMostly `others_become` is missing in the row.\n",
    },
    Explanation {
        code: "C0004",
        title: "old data is read",
        text: "Along the run, data is taken from where it is not the latest: from memory that was not written back, or from a \
               copy that was not made invalid by a store.\n\nMostly `write_back = true` is missing in a row where a modified line \
               becomes a clean one, or `others_become = \"I\"` in a row for `store`.\n",
    },
    Explanation {
        code: "C0005",
        title: "no processes to share memory",
        text: "Every process that uses shared variables has a cache, so they must all be there from the start: `active \
               proctype`. Variables that only one process uses are private, and cost nothing.\n",
    },
    Explanation {
        code: "C0006",
        title: "no node",
        text: "Nodes stand under `[topology]`: `nodes = [\"left.0\", \"left.1\", \"right.0\"]`. The parts of a name are levels. Under \
               `[mapping]` every process has a node, and every variable a node or a process, unless there is only one node.\n",
    },
    Explanation {
        code: "C0007",
        title: "no such variable or process",
        text: "Under `[mapping]`, `[line]`, `[kind]`, `private` and `free` stand global variables of the model, their elements or \
               fields, and kinds of process.\n",
    },
    Explanation {
        code: "C0008",
        title: "an access that can't be a step of its own",
        text: "Loads and stores are steps of their own: conditions and assignments are split into them. Other statements can't be \
               split without changing what they mean. Load what they need into local variables first.\n",
    },
    Explanation {
        code: "C0009",
        title: "an atomic sequence that is no single access",
        text: "An atomic sequence, or a `d_step`, may use one place in shared memory, and is one access to it: a test-and-set, a \
               compare-and-swap, a fetch-and-add. No processor does more at once.\n\n```promela\natomic { lock == 0 -> lock = 1 \
               }\natomic { ticket = next; next = next + 1 }\n```\n",
    },
    Explanation {
        code: "C0010",
        title: "too many caches",
        text: "The states of a line in all caches are followed together. With many caches there are too many combinations.\n",
    },
    Explanation {
        code: "C0011",
        title: "a transfer without a latency",
        text: "Under `[latency]` every transfer of the coherence table has a time, or a list of times by distance: `memory = [170, \
               330, 500]`.\n",
    },
    Explanation {
        code: "S0013",
        title: "a delay that actions can't have",
        text: "In studies of LOTOS models, how long an action takes does not depend on the state: nothing of a state can be
seen but its labels.

```toml
[delay]
\"LATENCY !* !HIT\" = { exponential = 5, times = \"n\" }
```

Leave `times` and `over` out. Where an action takes different times, let it have different values, and give each its delay.
",
    },
    Explanation {
        code: "S0014",
        title: "a question that is not for LOTOS models",
        text: "What a LOTOS model shows are its labels. Events are counted; predicates about variables are for other models.

```toml
[[ask]]
utilisation = \"busy\"
```

Ask `throughput`, `mean_period`, `mean_count`, `delay`, `count`, `makespan`, `ltl` or `mu`; `from` and `to` are patterns for
labels.
",
    },
    Explanation {
        code: "S0015",
        title: "a delay or weights in a synchronous model",
        text: "In an SMV model there are no statements: all variables take their next values at once, and one step is one \
               unit of time. So nothing can be given a delay, or weights.\n\n\
               What takes longer than a step counts the steps in a variable, and what is asked about time is asked in steps.\n",
    },
    Explanation {
        code: "S0016",
        title: "no signal",
        text: "Under `[signal]` stand names, each with an expression of the SMV model: a variable, a definition, or anything \
               that has one value in each step. Pictures of runs show them. A set has several values, and can't be drawn.\n\n\
               Promela models have no signals: their runs are drawn as messages between processes.\n",
    },
];
