//! Random models of equal parts, and some whose parts are not quite equal.

use std::fmt::Write as _;

use narrows_graph::random::Random;

/// A model, and whether something in it was made uneven.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) is_uneven: bool,
}

/// Writes a model of some clients and banks that pass numbers of each other around.
pub(crate) fn write(seed: u64) -> Written {
    let mut random = Random::new(seed);
    let clients = random.between(2, 3);
    let banks = 2 + usize::from(random.percent(25));
    let mut text = String::new();
    let mut is_uneven = false;
    let _ = writeln!(text, "#define N {clients}\n#define M {banks}");
    let capacity = 1 + usize::from(random.percent(25));
    let _ = writeln!(text, "chan work = [{capacity}] of {{ byte, bit }};");
    let _ = writeln!(text, "chan bank[M] = [1] of {{ byte }};");
    let _ = writeln!(text, "byte owner = 255; byte phase; bit done[N]; byte last_bank;");
    if random.percent(20) {
        let _ = writeln!(text, "byte uses[N];");
    }
    let has_uses = text.contains("uses");
    let has_pairs = random.percent(20);
    if has_pairs {
        let _ = writeln!(text, "typedef row {{ bit saw[N] }};\nrow table[N];");
    }
    let has_private = random.percent(25);
    let _ = writeln!(text, "active [N] proctype client() {{");
    if has_private {
        let _ = writeln!(text, "  chan own = [1] of {{ bit }};");
    }
    let _ = writeln!(text, "  bit wish;\nidle:\n  do");
    let _ = writeln!(text, "  :: work!_pid, wish -> atomic {{ done[_pid] -> done[_pid] = 0 }}");
    if random.percent(40) {
        let _ = writeln!(text, "  :: owner == 255 -> owner = _pid; wish = 1 - wish; owner = 255");
    } else if random.percent(50) {
        let _ = writeln!(text, "  :: atomic {{ owner != _pid -> owner = _pid }}; phase = (phase + 1) % 2");
    }
    if has_uses {
        let _ = writeln!(text, "  :: uses[_pid] < 2 -> uses[_pid]++");
        if random.percent(30) {
            let _ = writeln!(text, "  :: owner != 255 && uses[owner] > 0 -> uses[owner] = 0");
        }
    }
    if has_private {
        let _ = writeln!(text, "  :: own!wish; own?wish");
    }
    if has_pairs {
        let _ = writeln!(text, "  :: owner < 255 && !table[_pid].saw[owner] -> table[_pid].saw[owner] = 1");
    }
    if random.percent(25) {
        let _ = writeln!(text, "  :: phase == 1 -> assert(owner != _pid)");
    }
    // What makes parts uneven.
    let twists: &[&str] = &[
        "  :: _pid == 0 && phase == 0 -> phase = 1",
        "  :: _pid < 1 -> wish = 0",
        "  :: done[0] -> wish = 1",
        "  :: owner == 1 -> phase = 1 - phase",
        "  :: (_pid + owner) % 2 == 0 -> wish = 1",
        "  :: _pid > 0 && enabled(0) -> phase = 0",
        "  :: last_bank = _pid / 2",
    ];
    if random.percent(30) {
        is_uneven = true;
        let twist = random.index(twists.len());
        let twist = if twists[twist].contains("owner") && !text.contains("owner = _pid") { 0 } else { twist };
        let _ = writeln!(text, "{}", twists[twist]);
    }
    let _ = writeln!(text, "  od\n}}");
    let _ = writeln!(text, "active proctype server() {{\n  byte command; bit flag;\n  do");
    let _ = writeln!(text, "  :: work?command, flag ->\n     if");
    let skewed = random.percent(10);
    for bank in 0..banks {
        let more = if skewed && bank == 0 { "; phase = 0" } else { "" };
        let _ = writeln!(text, "     :: bank[{bank}]!command{more}");
    }
    is_uneven |= skewed;
    let _ = writeln!(text, "     fi");
    if random.percent(30) {
        let _ = writeln!(text, "  :: owner != 255 && len(work) == 0 -> flag = 0");
    }
    let _ = writeln!(text, "  od\n}}");
    let _ = writeln!(text, "active [M] proctype disk() {{\n  byte mine;\n  do");
    let _ = writeln!(text, "  :: bank[_pid - N - 1]?mine -> atomic {{ done[mine] = 1; mine = 0 }}");
    if random.percent(40) {
        let _ = writeln!(text, "  :: last_bank != _pid -> last_bank = _pid");
    }
    let _ = writeln!(text, "  od\n}}");
    Written { text, is_uneven }
}
