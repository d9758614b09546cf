/* Where priorities are used, SPIN takes the process's last bits for padding, and compares states without `seen`. */
byte n;
proctype Child() priority 1 { skip }
active proctype Watcher() priority 1 { bool seen = false; seen = (n == 0) }
init { n = run Child() }
