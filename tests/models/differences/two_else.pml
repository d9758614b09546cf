/* Two `else` come together in one location; SPIN's verifier refuses to start: "inherits 2 'else' stmnts". */
byte x;
active proctype P() {
  if
  :: if :: x == 1 :: else -> x = 3 fi
  :: if :: x == 2 :: else -> x = 4 fi
  fi
}
