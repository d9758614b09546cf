/* The receive changes the index that it stores under: SPIN restores the wrong element when it goes back. */
byte a[2];
chan c = [1] of { byte, byte };
active proctype Receiver() { byte i; c?a[i], i }
active proctype Sender() { c!1, 1 }
