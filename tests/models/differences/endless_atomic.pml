/* An atomic sequence that never ends. SPIN goes down to its depth limit and then says "errors: 0". */
byte x;
active proctype P() { atomic { do :: x = 1 - x od } }
