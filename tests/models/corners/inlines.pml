/* Inlines that return a value, call each other and have labels; priorities that change.
   RESULT: 225 states, 321 transitions */
inline inc(x) { return x + 1 }
inline twice(v) { inc2(v); inc2(v) }
inline inc2(w) { w++ ; if :: w > 5 -> goto done :: else fi; done: skip }
byte r, t;
active [2] proctype P() { byte z; z = inc(r); twice(t); r = z; set_priority(_pid, 3); r = get_priority(_pid) }
