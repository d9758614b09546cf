/* Initial values, shifts, signs, sibling blocks with the same name, both kinds of select.
   RESULT: 5280 states, 10509 transitions */
int x = 3; int y = x + 1; short sh = 70000; byte arr[4] = 7; byte l[3] = { 1, 2 };
active proctype P() { int z = y * 2; byte a[2] = 5; x = (z > 3 -> a[1] : l[2]); { int z2 = x; x = z2 - 20 }; { int z2 = 9; x = z2 << 2 }; y = ~x; y = -y / 7; y = y % 3; x = 1 << 31; x = x >> 3 }
active proctype Q() { int q; byte w; select(w : 1 .. 40); q = 2; select (q : 0 .. w % 3); do :: q > 0 -> q-- :: else -> goto out od; out: skip; end: false }
