/* SPIN's verifier refuses to start: "has unconditional self-loop". */
active proctype P() { do :: skip od }
