//! The page that `narrows check --html` writes, in a browser: it shows what it should, steps by key and by
//! click, needs no script to be read, and takes nothing that a model says for markup.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use narrows_tests::browser::Browser;
use narrows_tests::commands::{Scratch, run};
use narrows_tests::narrows;
use serde_json::{Value, json};

const NAME: &str = "<img src=x onerror=alert(1)>.pml";

const MODEL: &str = "/* </script><script>alert('text')</script> */
chan ask = [1] of { byte };
chan reply = [0] of { byte };
bool waiting;
active proctype Client() {
  do
  :: ask!7; waiting = true; reply?eval(7); waiting = false
  od
}
active proctype Server() {
  byte n;
  do
  :: ask?n -> reply!n
  :: n == 7 -> printf(\"</script><script>alert('print')</script>\\n\")
  :: n == 9 -> n = 1
  od
}
ltl answered { [] (waiting -> <> !waiting) }
ltl idle { [] !waiting }
";

/// Returns a page about the model, or nothing if there is no browser to open it.
fn page(scratch: &Scratch) -> Option<PathBuf> {
    if !Browser::is_wanted() {
        return None;
    }
    fs::write(scratch.path().join(NAME), MODEL).expect("a file");
    let mut check = Command::new(narrows::program().expect("the program is built"));
    check.args(["check", NAME, "--html", "page.html"]).current_dir(scratch.path());
    let said = run(&mut check, Duration::from_mins(1)).expect("narrows runs");
    assert_eq!(said.code(), Some(1), "{}{}", said.stdout, said.stderr);
    Some(scratch.path().join("page.html"))
}

#[test]
fn a_reader_goes_through_a_run() {
    let scratch = Scratch::new().expect("a directory");
    let Some(page) = page(&scratch) else { return };
    let mut browser = Browser::start(scratch.path()).expect("chromium starts");
    browser.open(&page).expect("the page opens");
    let check =
        |browser: &mut Browser, expression: &str, expected: Value| browser.check(expression, &expected);

    // What the model says is text.
    check(&mut browser, "document.querySelector('h1').textContent", json!(NAME));
    check(&mut browser, "document.images.length", json!(0));
    check(&mut browser, "document.scripts.length", json!(2));

    // Verdicts, charts and unreached code are there.
    check(&mut browser, "document.querySelectorAll('.verdicts .holds').length", json!(3));
    check(&mut browser, "document.querySelectorAll('.verdicts .fails').length", json!(2));
    check(&mut browser, "document.querySelectorAll('.run .messages svg[role=img]').length", json!(2));
    check(&mut browser, "document.querySelectorAll('#m1r1 .bracket').length", json!(1));
    check(
        &mut browser,
        "document.querySelector('.lines .dead code').textContent.trim()",
        json!(":: n == 9 -> n = 1"),
    );
    check(&mut browser, "document.querySelectorAll('#m1r1 .strip .true').length > 0", json!(true));

    // Keys step through the first run, and round its cycle.
    let at = "document.querySelector('#m1r1 .at').textContent.split(',')[0]";
    let last = browser.evaluate("Number(document.querySelector('#m1r1').dataset.last)").expect("a number");
    let last = last.as_u64().expect("a number of steps");
    check(&mut browser, at, json!(format!("state 0 of {last}")));
    browser.press("ArrowRight").expect("a key");
    check(&mut browser, at, json!(format!("state 1 of {last}")));
    check(&mut browser, "document.querySelector('.lines .now .no').textContent", json!("7"));
    check(&mut browser, "document.querySelector('.state h3').textContent", json!("after step 1"));
    check(
        &mut browser,
        "document.querySelector('.state .channel.changed td').textContent",
        json!("1 of 1: [7]"),
    );
    check(&mut browser, "document.activeElement.id", json!("m1r1-1"));
    check(&mut browser, "document.activeElement.getAttribute('aria-current')", json!("step"));
    browser.press("End").expect("a key");
    check(&mut browser, at, json!(format!("state {last} of {last}")));
    browser.press("ArrowDown").expect("a key");
    let again = "document.querySelector('#m1r1 .steps .in-cycle').classList.contains('selected')";
    check(&mut browser, again, json!(true));
    browser.press("Home").expect("a key");
    check(&mut browser, at, json!(format!("state 0 of {last}")));

    // So do clicks on a step, a strip, a chart and a button.
    browser.click("#m1r2 .steps [data-step='2']").expect("a click");
    check(&mut browser, "document.querySelector('#m1r2 .at').textContent", json!("state 2 of 2"));
    browser.click("#m1r1 .chart [data-step='1'] .number").expect("a click");
    check(&mut browser, at, json!(format!("state 1 of {last}")));
    browser.click("#m1r1 .strip .cells").expect("a click");
    check(&mut browser, at, json!(format!("state {} of {last}", last.div_ceil(2))));
    browser.click("#m1r1 [data-go='first']").expect("a click");
    check(&mut browser, at, json!(format!("state 0 of {last}")));

    // Small screens need no sideways scrolling, and a dark one is dark.
    let small = json!({ "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", &small).expect("a small screen");
    check(&mut browser, "document.documentElement.scrollWidth <= 400", json!(true));
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.call("Emulation.setEmulatedMedia", &dark).expect("a dark screen");
    check(&mut browser, "getComputedStyle(document.body).backgroundColor", json!("rgb(20, 23, 28)"));

    // Without scripts it is a document.
    browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true })).expect("a setting");
    browser.open(&page).expect("the page opens");
    check(&mut browser, "getComputedStyle(document.querySelector('.tools')).display", json!("none"));
    check(&mut browser, "document.querySelectorAll('#m1r1 .step:not(g)').length - 1", json!(last));

    assert_eq!(browser.complaints(), Vec::<String>::new());
}
