/* What a claim can look at beside variables: who moved last, who could move, progress, and whether anybody can move. */
byte x;
active proctype P() { do :: x < 2 -> x++ :: x > 0 -> progress: x-- od }
active proctype Q() { x == 2; do :: x = 0 :: skip; x = 1 od }
never a { do :: true :: np_ -> break od; accept: do :: np_ od }
never b { do :: true :: _last == 0 -> break od; accept: do :: _last == 0 od }
never c { do :: true :: !enabled(1) -> break od; accept: do :: !enabled(1) od }
never d { do :: true :: enabled(0) && x == 2 -> break od; accept: do :: !enabled(0) od }
never e { accept: do :: enabled(0) od }
never f { do :: _last != 1 :: _last == 1 && x == 1 -> break od }
never g { do :: true :: _last == 1 && !enabled(1) -> break od }
never h { do :: else -> break :: x < 2 od; accept: do :: else od }
never i { do :: timeout -> break :: else od }
never j { do :: !timeout od }
ltl k { [] (_last == 0 || enabled(1) || x < 2) }
ltl l { [] <> (enabled(1)) }
ltl m { [] <> (!np_) }
ltl o { <> [] (np_) }
ltl r { [] (pc_value(1) > 0) }
