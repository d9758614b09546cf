//! The page that `narrows bottleneck` writes, in a browser: the charts are there, nothing goes wrong, and
//! nothing that a model or a study says is taken for markup.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use narrows_tests::browser::Browser;
use narrows_tests::commands::{Scratch, run};
use narrows_tests::narrows;
use serde_json::{Value, json};

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

const MODEL: &str = "/* </pre><script>alert('text')</script> */
mtype = { idle, busy };
mtype state = idle;
byte used;
bool fills, drains;
active proctype fill() {
  do
  :: atomic { used < BUFFERS -> fills = true; state = busy };
filled: atomic { fills -> fills = false; state = idle; used++ }
  od
}
active proctype drain() {
  do
  :: atomic { used > 0 -> drains = true };
drained: atomic { drains -> drains = false; used-- }
  od
}
";

fn study(buffers: u8) -> String {
    format!(
        "title = \"{HOSTILE}\"
model = \"m.pml\"
unit = \"us\"
[constant]
BUFFERS = {buffers}
[resource]
\"{HOSTILE}\" = \"fills\"
draining = \"drains\"
[delay]
\"fill:filled\" = {{ fixed = 3 }}
\"drain:drained\" = {{ fixed = 5 }}
[event]
packet = \"drain:drained\"
[[ask]]
name = \"{HOSTILE}\"
ltl = \"[] (used < 9)\"
[sweep]
BUFFERS = [1, 2, 3]
"
    )
}

/// Returns a page about two studies, or nothing if there is no browser to open it.
fn page(scratch: &Scratch) -> Option<PathBuf> {
    if !Browser::is_wanted() {
        return None;
    }
    let write = |name: &str, text: &str| fs::write(scratch.path().join(name), text).expect("a file");
    write("m.pml", MODEL);
    write("one.toml", &study(1));
    write("two.toml", &study(2));
    let mut analyse = Command::new(narrows::program().expect("the program is built"));
    analyse.args(["bottleneck", "one.toml", "two.toml", "--charts", "charts"]).current_dir(scratch.path());
    let said = run(&mut analyse, Duration::from_mins(1)).expect("narrows runs");
    assert_eq!(said.code(), Some(0), "{}{}", said.stdout, said.stderr);
    Some(scratch.path().join("report.html"))
}

#[test]
fn the_report_opens_and_has_its_charts() {
    let scratch = Scratch::new().expect("a directory");
    let Some(page) = page(&scratch) else { return };
    let mut browser = Browser::start(scratch.path()).expect("chromium starts");
    browser.open(&page).expect("the page opens");
    let check =
        |browser: &mut Browser, expression: &str, expected: Value| browser.check(expression, &expected);
    // Two studies, and what differs between them comes first.
    check(&mut browser, "document.querySelectorAll('article.study').length", json!(2));
    check(
        &mut browser,
        "document.querySelector('#compare tbody tr').innerText.replaceAll(/\\s+/g, ' ')",
        json!(format!("bottleneck of packet {HOSTILE} + draining draining")),
    );
    check(&mut browser, "document.querySelectorAll('#summary tbody tr').length", json!(2));
    // Throughput, lanes, packets, elasticity, utilisation and a plot of the sweep for each question.
    for name in ["throughput-packet", "busy-packet", "packets-packet", "elasticity-packet", "utilisation"] {
        check(&mut browser, &format!("document.querySelectorAll('#s1-{name} svg.plot').length"), json!(1));
    }
    check(&mut browser, "document.querySelectorAll('#s1-busy-packet rect.bar').length", json!(20));
    check(&mut browser, "document.querySelectorAll('.sweep').length", json!(2));
    check(&mut browser, "document.querySelector('.matrix td p').className", json!("never"));
    // Pictures are drawn, not empty, and have a text for those who do not see them.
    let drawn =
        "[...document.querySelectorAll('svg.plot')].every(svg => svg.getBoundingClientRect().width > 100
        && svg.querySelector('title').textContent && svg.querySelector('desc').textContent)";
    check(&mut browser, drawn, json!(true));
    // How the variable with names changes.
    let machine = "[...document.querySelectorAll('.diagrams summary')].some(one => one.innerText.startsWith('state, changed by fill'))";
    check(&mut browser, machine, json!(true));
    // A link opens the run it leads to.
    browser.click("#s2 .matrix a").expect("a click");
    let run = "document.querySelector(document.querySelector('#s2 .matrix a').getAttribute('href'))";
    check(&mut browser, &format!("{run}.closest('details').open"), json!(true));
    // Everything a model or a study says stays text.
    check(&mut browser, "document.querySelectorAll('img, script').length", json!(0));
    check(&mut browser, "document.querySelector('#s1 h1').innerText", json!(HOSTILE));
    // Small screens need no sideways scrolling, and a dark one is dark.
    let small = json!({ "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", &small).expect("a small screen");
    check(&mut browser, "document.documentElement.scrollWidth <= 400", json!(true));
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.call("Emulation.setEmulatedMedia", &dark).expect("a dark screen");
    check(&mut browser, "getComputedStyle(document.body).backgroundColor", json!("rgb(20, 23, 28)"));
    let back = "getComputedStyle(document.querySelector('.plot .back')).fill";
    check(&mut browser, back, json!("rgb(20, 23, 28)"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A synchronous model with hostile names, its table, and its run as a timing diagram.
#[test]
fn tables_and_timing_diagrams_are_shown() {
    let scratch = Scratch::new().expect("a directory");
    if !Browser::is_wanted() {
        return;
    }
    let model = "-- </pre><script>alert('text')</script>\nMODULE main\nVAR n : 0..3;\nASSIGN init(n) := 0; next(n) := (n + 1) mod 4;";
    let study = format!(
        "title = \"{HOSTILE}\"\nmodel = \"m.smv\"\nreference = \"{HOSTILE}\"\n[signal]\n\"{HOSTILE}\" = \"n > 1\"\nn = \"n\"\n\
         [[ask]]\ndelay = {{ from = \"n = 0\", to = \"n = 3\" }}\ncell = [\"{HOSTILE}\", \"row\", \"column\"]\nreference = [1, 3]\ndraw = true\n"
    );
    fs::write(scratch.path().join("m.smv"), model).expect("a file");
    fs::write(scratch.path().join("m.toml"), study).expect("a file");
    let mut measure = Command::new(narrows::program().expect("the program is built"));
    measure.args(["measure", "m.toml", "--html", "m.html"]).current_dir(scratch.path());
    let said = run(&mut measure, Duration::from_mins(1)).expect("narrows runs");
    assert_eq!(said.code(), Some(0), "{}{}", said.stdout, said.stderr);
    let mut browser = Browser::start(scratch.path()).expect("chromium starts");
    browser.open(&scratch.path().join("m.html")).expect("the page opens");
    let check =
        |browser: &mut Browser, expression: &str, expected: Value| browser.check(expression, &expected);
    check(&mut browser, "document.querySelector('table.cells td a').innerText", json!("3"));
    check(
        &mut browser,
        "document.querySelector('table.cells td.differs').innerText.includes('[1, 3]')",
        json!(true),
    );
    check(&mut browser, "document.querySelectorAll('figure svg.plot .wave').length", json!(1));
    check(&mut browser, "document.querySelectorAll('figure svg.plot .bus').length > 3", json!(true));
    check(&mut browser, "document.querySelectorAll('figure svg.plot .part').length", json!(1));
    check(&mut browser, "document.querySelectorAll('img, script').length", json!(0));
    browser.click("table.cells td a").expect("a click");
    let run = "document.querySelector(document.querySelector('table.cells td a').getAttribute('href'))";
    check(&mut browser, &format!("{run}.closest('details').open"), json!(true));
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.call("Emulation.setEmulatedMedia", &dark).expect("a dark screen");
    // The first text of a timing diagram is the number of a step, in faint ink.
    let ink = "getComputedStyle(document.querySelector('.plot text')).fill";
    check(&mut browser, ink, json!("rgb(152, 160, 173)"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn each_chart_is_a_file() {
    let scratch = Scratch::new().expect("a directory");
    if page(&scratch).is_none() {
        return;
    }
    for name in ["throughput-packet", "busy-packet", "packets-packet", "elasticity-packet", "utilisation"] {
        for study in ["one", "two"] {
            let path = scratch.path().join(format!("charts/{study}-{name}.svg"));
            let text = fs::read_to_string(&path).expect("a chart");
            assert!(text.starts_with("<svg xmlns=") && !text.contains("<img"), "{text}");
        }
    }
}
