//! Time on graphs: best and worst case, and Markov chains.
