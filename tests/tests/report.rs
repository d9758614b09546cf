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
name = \"through\"
latency = {{ from = \"fill:filled\", to = \"packet\" }}
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
    for name in
        ["throughput-packet", "busy-packet", "requests-through-packet", "elasticity-packet", "utilisation"]
    {
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
    // A link opens the run it leads to, and the run is unfolded: all its steps, and the chart.
    browser.click("#s2 .matrix a").expect("a click");
    let run = "document.querySelector(document.querySelector('#s2 .matrix a').getAttribute('href'))";
    check(&mut browser, &format!("{run}.closest('details').open"), json!(true));
    wait_until(&mut browser, &format!("!{run}.closest('details').dataset.run"));
    check(&mut browser, &format!("{run}.textContent.includes('fill(0)')"), json!(true));
    // A diagram is drawn when it is opened.
    browser.click(".diagrams[data-picture] summary").expect("a click");
    wait_until(&mut browser, "document.querySelectorAll('.diagrams svg.diagram .node').length > 1");
    // What the second study would repeat is a link.
    check(&mut browser, "document.querySelectorAll('#s2 .above').length > 1", json!(true));
    // The figures are in the page as files.
    let file = "atob(document.querySelector('#s1 a[download=\"one.json\"]').href.split(',')[1])";
    check(&mut browser, &format!("JSON.parse({file}).answers.length > 3"), json!(true));
    let table = "atob(document.querySelector('#s1 a[download=\"one.csv\"]').href.split(',')[1])";
    check(&mut browser, &format!("{table}.startsWith('BUFFERS,')"), json!(true));
    // The system: processes, what they share, resources, and the bottleneck.
    let parts = |class: &str| {
        format!("[...document.querySelectorAll('#s2-system .{class} text')].map(one => one.textContent)")
    };
    check(&mut browser, &parts("process"), json!(["fill", "drain"]));
    check(&mut browser, &parts("variable"), json!(["used"]));
    check(&mut browser, &parts("resource"), json!([HOSTILE, "draining"]));
    check(&mut browser, &parts("marked"), json!(["draining"]));
    // The first screen: the best and the worst variant, and a chart with both.
    check(
        &mut browser,
        "document.querySelector('.extremes').innerText.replaceAll(/\\s+/g, ' ').startsWith('Best: two.toml')",
        json!(true),
    );
    check(&mut browser, "document.querySelectorAll('#summary svg.plot').length", json!(1));
    // Everything a model or a study says stays text, and the only script is ours.
    check(&mut browser, "document.querySelectorAll('img').length", json!(0));
    check(
        &mut browser,
        "[...document.scripts].map(one => one.textContent.startsWith('\\n\\'use strict'))",
        json!([true]),
    );
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

/// Waits for what the page does by and by.
fn wait_until(browser: &mut Browser, condition: &str) {
    for _ in 0..100 {
        if browser.evaluate(condition).expect("an answer") == json!(true) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{condition} did not come true");
}

/// A timeline shows less and more of the time, by buttons and by keys.
#[test]
fn timelines_can_be_zoomed_and_panned() {
    let scratch = Scratch::new().expect("a directory");
    let Some(page) = page(&scratch) else { return };
    let mut browser = Browser::start(scratch.path()).expect("chromium starts");
    browser.open(&page).expect("the page opens");
    let figure = "document.querySelector('#s1-busy-packet')";
    let shown = format!("{figure}.querySelector('.zoom output').textContent");
    let bars = format!(
        "[...{figure}.querySelectorAll('rect.bar')].filter(bar => bar.style.display != 'none').length"
    );
    let widest = format!(
        "Math.max(...[...{figure}.querySelectorAll('rect.bar')].map(bar => bar.width.baseVal.value))"
    );
    browser.check(&bars, &json!(20));
    let before = browser.evaluate(&widest).expect("a width").as_f64().expect("a number");
    let whole = browser.evaluate(&shown).expect("a text");
    browser.click("#s1-busy-packet .zoom button[title='Zoom in']").expect("a click");
    let after = browser.evaluate(&widest).expect("a width").as_f64().expect("a number");
    assert!((after / before - 2.0).abs() < 0.01, "{before} {after}");
    assert!(browser.evaluate(&bars).expect("a number").as_u64().expect("a number") < 20);
    browser.click("#s1-busy-packet .zoom button[title='Later']").expect("a click");
    let later = browser.evaluate(&shown).expect("a text");
    assert_ne!(later, whole);
    let key = format!(
        "{figure}.querySelector('.scroll').dispatchEvent(new KeyboardEvent('keydown', {{ key: '0', bubbles: true }}))"
    );
    browser.evaluate(&key).expect("a key");
    assert_eq!(browser.evaluate(&shown).expect("a text"), whole);
    browser.check(&bars, &json!(20));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// On paper there are no tools and nothing that is folded, and nothing is wider than the page.
#[test]
fn the_report_fits_on_paper() {
    let scratch = Scratch::new().expect("a directory");
    let Some(page) = page(&scratch) else { return };
    let mut browser = Browser::start(scratch.path()).expect("chromium starts");
    browser.open(&page).expect("the page opens");
    browser.call("Emulation.setEmulatedMedia", &json!({ "media": "print" })).expect("paper");
    // A4 between margins of 14 mm, in pixels.
    let paper = json!({ "width": 688, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", &paper).expect("paper");
    browser.check("document.documentElement.scrollWidth <= 688", &json!(true));
    let wide = "[...document.querySelectorAll('table, svg, pre, section')]
        .filter(one => one.getBoundingClientRect().right > 689).map(one => one.outerHTML.slice(0, 80))";
    browser.check(wide, &json!([]));
    browser.check("getComputedStyle(document.querySelector('.zoom')).display", &json!("none"));
    browser.check("getComputedStyle(document.querySelector('.witness')).display", &json!("none"));
    // Two studies and what they have in common are a few pages.
    browser.check("document.documentElement.scrollHeight < 4 * 1000", &json!(true));
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
    check(&mut browser, "document.querySelectorAll('img').length", json!(0));
    check(&mut browser, "document.scripts.length", json!(1));
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
    for name in
        ["throughput-packet", "busy-packet", "requests-through-packet", "elasticity-packet", "utilisation"]
    {
        for study in ["one", "two"] {
            let path = scratch.path().join(format!("charts/{study}-{name}.svg"));
            let text = fs::read_to_string(&path).expect("a chart");
            assert!(text.starts_with("<svg xmlns=") && !text.contains("<img"), "{text}");
        }
    }
}
