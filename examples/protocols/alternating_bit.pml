/*
 * The alternating bit protocol: messages and acknowledgements may be lost, and every message still arrives once and
 * in order. One bit tells a new message from a repeated one.
 *
 * Shows: channels, `timeout`, loss as a choice, numbers that go around.
 * Expected: no assertion fails, no deadlock. An old acknowledgement is never reached: `timeout` waits until nothing
 * else can happen, so no acknowledgement is ever late. Define EARLY to let the sender give up at any time.
 */

#define NUMBERS 4

chan data = [1] of { bit, byte };       /* the bit, the content */
chan acknowledge = [1] of { bit };

active proctype Sender() {
  bit tag;
  bit answer;
  byte content;
  do
  :: data!tag, content;
     if
     :: acknowledge?answer;
        if
        :: answer == tag -> tag = 1 - tag; content = (content + 1) % NUMBERS
        :: else                         /* an old acknowledgement: send again */
        fi
#ifdef EARLY
     :: true                            /* tired of waiting: send again */
#else
     :: timeout                         /* something was lost: send again */
#endif
     fi
  od
}

active proctype Receiver() {
  bit tag;
  bit expected;
  byte content;
  byte next;
  do
  :: data?tag, content;
     if
     :: tag == expected ->
        assert(content == next);
        next = (next + 1) % NUMBERS;
        expected = 1 - expected
     :: else                            /* seen before */
     fi;
     acknowledge!tag
  :: data?_, _                          /* a message is lost */
  :: acknowledge?_                      /* an acknowledgement is lost */
  od
}
