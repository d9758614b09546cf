/* Structures declared one after the other in an option are a step each; skips in a row are one.
   RESULT: 7 states, 6 transitions */
typedef T { int id }
active proctype P() {
  byte x;
  if
  :: T a; T b; skip; skip; skip; x = a.id; x = 1
  fi
}
