/* A formula that looks at the next state. */
bit x;

active proctype P()
{
	do
	:: x = 1 - x
	od
}

ltl alternates { [] ((x == 0) -> X (x == 1)) }
