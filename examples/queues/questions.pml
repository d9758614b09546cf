/* One client, one server, one request at a time: every question of a study has an answer that can be checked
   by hand. */
bool open;

active proctype client() {
  do :: ask: d_step { !open -> open = true } od
}

active proctype server() {
  do :: reply: d_step { open -> open = false } od
}
