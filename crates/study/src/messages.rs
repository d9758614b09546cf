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
        code: "S0013",
        title: "a delay or weights in a synchronous model",
        text: "In an SMV model there are no statements: all variables take their next values at once, and one step is one \
               unit of time. So nothing can be given a delay, or weights.\n\n\
               What takes longer than a step counts the steps in a variable, and what is asked about time is asked in steps.\n",
    },
    Explanation {
        code: "S0014",
        title: "no signal",
        text: "Under `[signal]` stand names, each with an expression of the SMV model: a variable, a definition, or anything \
               that has one value in each step. Pictures of runs show them. A set has several values, and can't be drawn.\n\n\
               Promela models have no signals: their runs are drawn as messages between processes.\n",
    },
];
