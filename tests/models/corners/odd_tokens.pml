/* Tokens and initial values that SPIN takes without a word; Narrows warns of most. RESULT: 12 states, 11 transitions */
typedef Point { byte x = 3; byte y };
Point p = 5;
Point list[2] = { 1, 2 };
int large = 4294967297;
byte n = 2; */
init {
  Point q = 7;
  do
  :: n > 0 --> n = n - 1
  :: else --> break
  od;
  n = 1 <=< 3;
  n = n >=> 1;
  if :: n !!= 4 -> n = 0 :: else fi;
  assert(p.x == 3 && p.y == 0 && list[1].x == 3 && q.x == 3);
  assert(large == 1 && n == 4)
}
