/* A message field holds 2, and is received into a bool. SPIN puts back what the bool kept when it backtracks. */
chan c = [1] of { byte };
bool b;
byte other;
active proctype Low() { if :: c?other :: true fi }
active proctype Mid() { c!2 }
active proctype High() { c?b }
