/* While S offers its message, only a receive can come next. SPIN also lets the d_step in, since it starts with printf. */
chan c = [0] of { byte };
byte n;
active proctype S() { c!1 }
active proctype R() { d_step { printf("x\n"); n = 5 } }
active proctype T() { byte v; c?v }
