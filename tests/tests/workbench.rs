//! The workbench in a browser: a walk through all of it, as a user would go. What nobody may complain about
//! is asked at each station: the console, the policy of the page, and axe about screen readers.

#![allow(clippy::print_stdout, reason = "a test says what it leaves out, and how fast a page was")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use narrows_tests::browser::Browser;
use narrows_tests::commands::Scratch;
use narrows_tests::narrows;
use serde_json::{Value, json};

const MODEL: &str = "// Two processes share a counter.
byte count;
active [2] proctype P() {
  byte mine;
  do
  :: count < 3 -> mine = count; count = mine + 1
  :: else -> break
  od
}
ltl small { [] (count <= 4) }
ltl never_three { [] (count < 3) }
";

const PIPELINE: &str = "chan buffer = [2] of { byte };
active proctype filler() {
  byte n;
  do :: n = 0; fill: n = 1; buffer!n od
}
active proctype drainer() {
  byte n;
  do :: buffer?n; drain: n = 0 od
}
";

/// Its search takes far longer than anybody waits.
const LONG: &str = "byte a[8];
active [6] proctype P() {
  byte i;
  do :: i = 0; do :: i < 8 -> a[i]++; i++ :: break od od
}
";

const STUDY: &str = "# Which of the two is too slow?
model = \"pipe.pml\"
unit = \"us\"

[delay]
\"filler:fill\"   = { fixed = 20 }     # the device
\"drainer:drain\" = { fixed = 50 }     # the driver

[resource]
filling = \"filler@fill\"
draining = \"drainer@drain\"

[event]
packet = \"drainer:drain\"

[[ask]]
throughput = \"packet\"

[sweep]
\"drainer:drain\" = [10, 20, 40, 80]
";

/// A server of a folder, for one test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let mut child = Command::new(narrows::program().expect("the program is built"))
            .arg("serve")
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("narrows starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut lines = lines.map_while(Result::ok).map(|line| line.trim().to_owned());
        let address = lines.find(|line| line.starts_with("http://")).expect("it prints its address");
        Server { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// axe, if npm has fetched it: `crates/server/bundle/build`.
fn axe() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("crates/server/bundle/node_modules/axe-core/axe.min.js")).ok();
    assert!(text.is_some() || std::env::var_os("NARROWS_AXE").is_none(), "axe-core is not installed");
    if text.is_none() {
        println!("left out: axe-core is not installed, so that nobody looks for what screen readers miss");
    }
    text
}

/// Somebody who goes through the pages.
struct Walk {
    browser: Browser,
    axe: Option<String>,
    pictures: Option<PathBuf>,
    /// Where the browser keeps what it saves.
    downloads: PathBuf,
}

impl Walk {
    /// Opens the page; `seen` is added to its address.
    fn begin(scratch: &Scratch, server: &Server, seen: &str) -> Walk {
        let browser = Browser::start(scratch.path()).expect("chromium starts");
        let pictures = std::env::var_os("NARROWS_PICTURES").map(PathBuf::from);
        let downloads = scratch.path().join("downloads");
        let mut walk = Walk { browser, axe: axe(), pictures, downloads };
        fs::create_dir(&walk.downloads).expect("a folder");
        walk.browser.keep_downloads(&walk.downloads).expect("files are kept");
        walk.browser.look(1440, 900, "light").expect("the window has a size");
        walk.browser.open_address(&format!("{}{seen}", server.address)).expect("the page opens");
        walk.browser.wait("document.querySelector('.ready')");
        walk
    }

    fn is(&mut self, expression: &str, expected: &Value) {
        self.browser.check(expression, expected);
    }

    /// Looks around: takes pictures if they are wanted, and asks axe.
    fn station(&mut self, name: &str) {
        for (kind, width, height, colours) in
            [("light", 1440, 900, "light"), ("dark", 1440, 900, "dark"), ("narrow", 420, 800, "light")]
        {
            self.browser.look(width, height, colours).expect("the window changes");
            if kind == "narrow" {
                let part = if name == "error" { "text" } else { "work" };
                let show = format!("document.querySelector('[data-pane={part}]').click()");
                self.browser.evaluate(&show).expect("a part of the page");
                let fits = "document.documentElement.scrollWidth <= innerWidth";
                self.is(fits, &json!(true));
            }
            if let Some(folder) = &self.pictures {
                let picture = self.browser.picture().expect("a picture");
                fs::write(folder.join(format!("{name}-{kind}.b64")), picture).expect("a file");
            }
            if let Some(axe) = &self.axe {
                // Colours between two looks are nobody's choice.
                let rest = "document.getAnimations().filter(one => one instanceof CSSTransition).forEach(one => one.finish())";
                self.browser.evaluate(rest).expect("colours settle");
                self.browser.evaluate(axe).expect("axe begins");
                let run = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(one => \
                           one.id + ': ' + one.nodes.map(node => node.target.join(' ') + ' ' + node.failureSummary).join(' | ')))";
                let found = self.browser.evaluate_later(run).expect("axe ends");
                assert_eq!(found, json!([]), "{name}, {kind}");
            }
        }
        self.browser.look(1440, 900, "light").expect("the window changes");
        assert_eq!(self.browser.complaints(), Vec::<String>::new(), "{name}");
    }
}

/// The text of the editor, or of the plain text field.
const TEXT: &str = "(document.querySelector('#editor textarea')?.value ?? \
                    [...document.querySelectorAll('#editor .cm-line')].map(line => line.textContent).join('\\n'))";

/// Where the editor has the name of the first variable.
const WORD: &str = "(() => {
  const line = [...document.querySelectorAll('#editor .cm-line')].find(line => line.textContent === 'byte count;');
  line.scrollIntoView({ block: 'center' });
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const at = node.data.indexOf('count');
    if (at < 0) continue;
    range.setStart(node, at);
    range.setEnd(node, at + 5);
  }
  const box = range.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})()";

#[test]
fn a_user_goes_through_the_workbench() {
    if !Browser::is_wanted() {
        println!("left out: there is no `chromium` here");
        return;
    }
    let (scratch, folder, server) = served();
    let mut walk = Walk::begin(&scratch, &server, "");
    // The token is not in the address any more.
    walk.is("location.pathname + location.search", &json!("/"));
    walk.is("document.querySelectorAll('#list button').length", &json!(4));

    edit(&mut walk);
    check(&mut walk);
    simulate(&mut walk);
    cancel(&mut walk);
    bottleneck(&mut walk, &folder);
    sweep(&mut walk);
}

/// Where exact figures take their time, estimates follow a slider first.
#[test]
fn what_takes_long_is_estimated_first() {
    if !Browser::is_wanted() {
        println!("left out: there is no `chromium` here");
        return;
    }
    let (scratch, folder, server) = served();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/nvme");
    for name in ["nvme.pml", "nvme_ranges.toml"] {
        fs::copy(examples.join(name), folder.join(name)).expect("a copy");
    }
    let mut walk = Walk::begin(&scratch, &server, "#file=nvme_ranges.toml&view=bottleneck");
    let browser = &mut walk.browser;
    let timeline = "document.querySelector('figure[data-chart]:not(.before) svg')";
    browser.wait(&format!("!document.getElementById('lacks') && {timeline}"));
    let slide = "document.querySelector('input[type=range][data-name=\"channel:flash\"], \
                 input[type=range][data-name=\"dma:fetch\"]')";
    // Another one supersedes it; what is told at last belongs to the last one.
    for value in [700, 600] {
        let moved = format!(
            "(() => {{ const slide = {slide}; slide.value = {value}; slide.dispatchEvent(new Event('input')); }})()"
        );
        browser.evaluate(&moved).expect("a slider moves");
        browser.wait("document.getElementById('lacks')?.textContent.startsWith('Estimated')");
        browser.check("document.querySelector('figure.before svg') !== null", &json!(true));
    }
    let milliseconds =
        browser.evaluate("Number(document.getElementById('view-bottleneck').dataset.milliseconds)");
    println!("an estimate followed the slider within {} ms", milliseconds.expect("a number"));
    walk.station("estimated");
    walk.browser.wait(&format!("!document.getElementById('lacks') && {timeline}"));
    assert_eq!(walk.browser.complaints(), Vec::<String>::new());
}

/// The same with a plain text field, which is all that a program has that was built without the editor.
#[test]
fn a_plain_text_field_does_as_well() {
    if !Browser::is_wanted() {
        println!("left out: there is no `chromium` here");
        return;
    }
    let (scratch, folder, server) = served();
    let mut walk = Walk::begin(&scratch, &server, "#plain=1");
    edit(&mut walk);
    walk.is("document.querySelector('#editor textarea') !== null", &json!(true));
    check(&mut walk);
    walk.is("document.querySelector('.plain-answers .fails').textContent.startsWith('line ')", &json!(true));
    // What is not saved asks before the page is loaded again.
    save(&mut walk.browser);
    bottleneck(&mut walk, &folder);
}

/// Serves a folder with a model and a study.
fn served() -> (Scratch, PathBuf, Server) {
    let scratch = Scratch::new().expect("a folder");
    let folder = scratch.path().join("work");
    fs::create_dir(&folder).expect("a folder");
    for (name, text) in
        [("counter.pml", MODEL), ("long.pml", LONG), ("pipe.pml", PIPELINE), ("pipe.toml", STUDY)]
    {
        fs::write(folder.join(name), text).expect("a file");
    }
    let server = Server::start(&folder);
    (scratch, folder, server)
}

/// Opens a file, types an error, sees it, and takes the remedy.
fn edit(walk: &mut Walk) {
    let browser = &mut walk.browser;
    browser.click("[data-file='counter.pml']").expect("a click");
    browser.wait(&format!("{TEXT}.includes('Two processes')"));
    let is_plain =
        browser.evaluate("document.querySelector('#editor textarea') !== null").expect("a truth") == true;
    if !is_plain {
        browser.wait("document.querySelector('#editor .t-keyword')");
        browser.wait("document.querySelector('#editor .t-comment')");
    }
    browser.click("#editor .cm-content, #editor textarea").expect("a click");
    browser.press_with_control("End", "End", 35).expect("a key");
    browser.insert("ltl large { <> (coumt == 3) }\n").expect("a text");
    browser.wait("document.querySelector('#problems .error')");
    browser.check("document.querySelector('#problems .said').textContent", &json!("unknown name `coumt`"));
    browser.check("document.getElementById('unsaved').hidden", &json!(false));
    walk.station("error");
    let browser = &mut walk.browser;
    // What the message means is told there.
    browser.click("#problems .code").expect("a click");
    browser.wait("document.querySelector('#problems .explanation h3')");
    browser.click("#problems .fix").expect("a click");
    browser.wait("document.querySelector('#problems .error') === null");
    browser.wait(&format!("{TEXT}.includes('<> (count == 3)')"));
    if !is_plain {
        // Completion knows the names of the model.
        browser.insert("\nltl more { [] (cou").expect("a text");
        browser.call("Input.dispatchKeyEvent", &json!({ "type": "rawKeyDown", "key": " ", "code": "Space", "modifiers": 2, "windowsVirtualKeyCode": 32 })).expect("a key");
        browser.wait(
            "[...document.querySelectorAll('.cm-completionLabel')].some(one => one.textContent === 'count')",
        );
        // It takes none in the moment in which it appears.
        std::thread::sleep(std::time::Duration::from_millis(200));
        browser.press_code("Enter", 13).expect("a key");
        browser.insert(" <= 9) }\n").expect("a text");
        browser.wait(&format!("{TEXT}.includes('ltl more {{ [] (count <= 9) }}')"));
    }
}

/// Checks the model: answers in the table and beside the text.
fn check(walk: &mut Walk) {
    let browser = &mut walk.browser;
    browser.press_with_control("Enter", "Enter", 13).expect("a key");
    browser.wait("document.querySelectorAll('.answers tbody tr').length >= 6");
    browser.check("document.querySelectorAll('.answers .fails').length", &json!(1));
    browser
        .check("document.querySelector('.answers .fails').textContent.includes('never_three')", &json!(true));
    browser.wait("document.querySelector('.beside.fails, .plain-answers .fails')");
    walk.station("answers");
    walk.browser.click(".answers .fails .open-run").expect("a click");
    walk.browser.wait(
        "!document.getElementById('view-simulator').hidden && document.querySelector('#sim-steps button')",
    );
}

/// Goes through the counterexample, and beyond it.
fn simulate(walk: &mut Walk) {
    let browser = &mut walk.browser;
    let at = "document.querySelector('.at-step').textContent";
    browser.wait(&format!("{at} === 'the first state'"));
    let known = browser.evaluate("Number(document.querySelector('.sim .at input').max)").expect("a number");
    assert!(known.as_u64().is_some_and(|known| known >= 3), "{known}");
    browser.click("#sim-forward").expect("a click");
    browser.wait(&format!("{at}.startsWith('step 1:')"));
    browser.press("ArrowRight").expect("a key");
    browser.wait(&format!("{at}.startsWith('step 2:')"));
    browser.click("#sim-back").expect("a click");
    browser.wait(&format!("{at}.startsWith('step 1:')"));
    browser.wait("document.querySelector('.chart-scroll svg.chart')");
    browser.wait("document.querySelector('.values .process')");
    browser.click("#sim-svg").expect("a click");
    alone(&browser.downloaded(&walk.downloads.join("run.svg")));
    walk.station("simulator");
    let browser = &mut walk.browser;
    browser.click("#sim-start").expect("a click");
    browser.wait(&format!("{at} === 'the first state'"));
    browser.click("#sim-steps button").expect("a click");
    browser.wait(&format!("{at}.startsWith('step 1:')"));
    browser.click("#sim-many").expect("a click");
    browser.wait("document.querySelector('.verdict-line strong')");
    browser.click("#sim-why").expect("a click");
    browser.wait("document.querySelector('.why, .below p')");
    // The pointer on a name tells what it is, and what it is now.
    if browser.evaluate("document.querySelector('#editor textarea') === null").expect("a truth") == true {
        browser.point_at(WORD).expect("a place");
        let told = "document.querySelector('.cm-tooltip .hover')?.textContent";
        browser.wait(&format!("/count[^]*at step \\d+: count = \\d/.test({told})"));
    }
    // The address restores the state.
    let here = browser.evaluate(at).expect("a text");
    let address = browser.evaluate("location.href").expect("an address");
    assert!(address.as_str().is_some_and(|address| address.contains("choices=")), "{address}");
    save(browser);
    reload(browser);
    browser.wait(&format!("document.querySelector('.at-step') && {at} === {here}"));
}

/// Starts a check that takes long, sees how far it is, and cancels it.
fn cancel(walk: &mut Walk) {
    let browser = &mut walk.browser;
    browser.click("[data-file='long.pml']").expect("a click");
    browser.wait(&format!("{TEXT}.includes('active [6]')"));
    browser.click("#run").expect("a click");
    browser.wait("/[0-9,]+ states/.test(document.querySelector('.progress .told')?.textContent)");
    browser.click(".progress .cancel").expect("a click");
    browser.wait("document.querySelector('#view-answers .hint')?.textContent === 'The run was cancelled.'");
}

fn save(browser: &mut Browser) {
    browser.press_with_control("s", "KeyS", 83).expect("a key");
    browser.wait("document.getElementById('unsaved').hidden");
}

fn reload(browser: &mut Browser) {
    browser.evaluate("window.isOld = true").expect("it is said");
    browser.call("Page.reload", &json!({})).expect("the page loads again");
    browser.wait("!window.isOld && document.querySelector('.ready')");
}

/// Moves a slider until another one is the bottleneck, pins, writes, saves and reloads.
fn bottleneck(walk: &mut Walk, folder: &Path) {
    let browser = &mut walk.browser;
    browser.click("[data-file='pipe.toml']").expect("a click");
    browser.wait("!document.getElementById('tab-bottleneck').hidden");
    browser.click("#tab-bottleneck").expect("a click");
    let found = "document.querySelector('.found')?.textContent";
    browser.wait(&format!("{found} === 'draining'"));
    browser.check("document.querySelectorAll('.sliders input[type=range]').length", &json!(2));
    browser.check("document.querySelector('#overlap .inevitable') !== null", &json!(true));
    browser.wait("document.querySelector('figure[data-chart] svg')");
    browser.check("document.querySelectorAll('.critical li').length > 0", &json!(true));
    walk.station("bottleneck");
    let browser = &mut walk.browser;
    browser.click("#bottleneck-pin").expect("a click");
    browser.wait("document.querySelector('#variants')");
    // By the keyboard: to the beginning of the scale, a tenth of what the study says.
    browser
        .evaluate("document.querySelector('input[type=range][data-name=\"drainer:drain\"]').focus()")
        .expect("the focus");
    browser.press_code("Home", 36).expect("a key");
    browser.wait(&format!("{found} === 'filling'"));
    browser.check(
        "document.querySelector('input[type=number][data-name=\"drainer:drain\"]').value",
        &json!("5"),
    );
    browser.check("document.querySelectorAll('#variants .differs').length > 0", &json!(true));
    let milliseconds =
        browser.evaluate("Number(document.getElementById('view-bottleneck').dataset.milliseconds)");
    println!("the bottleneck followed the slider within {} ms", milliseconds.expect("a number"));
    walk.station("pinned");
    let browser = &mut walk.browser;
    browser.click("#bottleneck-write").expect("a click");
    browser.wait(&format!("{TEXT}.includes('{{ fixed = 5 }}     # the driver')"));
    browser.wait(&format!("{found} === 'filling'"));
    save(browser);
    let saved = fs::read_to_string(folder.join("pipe.toml")).expect("the study");
    assert_eq!(saved, STUDY.replace("fixed = 50", "fixed = 5"));
    reload(browser);
    browser.wait(&format!("{found} === 'filling'"));
    browser.wait("document.querySelector('#variants')");
    browser.check(
        "document.querySelector('input[type=number][data-name=\"drainer:drain\"]').value",
        &json!("5"),
    );
}

/// Sweeps: plots, values, and files.
fn sweep(walk: &mut Walk) {
    let browser = &mut walk.browser;
    browser.click("#tab-sweep").expect("a click");
    browser.click("#sweep-run").expect("a click");
    browser.wait("document.querySelector('#view-sweep svg.live path')");
    browser.check("document.querySelectorAll('#view-sweep tbody tr').length", &json!(4));
    browser.evaluate("document.querySelector('.plot-frame').focus()").expect("the focus");
    browser.press_code("ArrowRight", 39).expect("a key");
    browser.wait("/drainer:drain \\d+, /.test(document.querySelector('#view-sweep output').textContent)");
    // The pointer does the same.
    let last = "(() => { const box = [...document.querySelectorAll('#view-sweep svg.live')][0]
                  .querySelector('circle.dots:last-of-type').getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2]; })()";
    browser.point_at(last).expect("a place");
    browser.wait("/drainer:drain 80, /.test(document.querySelector('#view-sweep output').textContent)");
    let before =
        browser.evaluate("document.querySelector('#view-sweep svg path').getAttribute('d')").expect("a line");
    browser.click("#view-sweep [aria-label='Zoom in']").expect("a click");
    let after =
        browser.evaluate("document.querySelector('#view-sweep svg path').getAttribute('d')").expect("a line");
    assert_ne!(before, after);
    browser.click("#sweep-csv").expect("a click");
    let csv = browser.downloaded(&walk.downloads.join("pipe.csv"));
    assert_eq!(csv.lines().next().map(|line| line.split(',').next()), Some(Some("drainer:drain")), "{csv}");
    assert!(csv.lines().count() > 4, "{csv}");
    browser.click("#view-sweep figure .tools button:last-child").expect("a click");
    alone(&browser.downloaded(&walk.downloads.join("pipe-1.svg")));
    walk.station("sweep");
}

/// Makes sure that a picture can be seen without the page: it has its style with it.
fn alone(picture: &str) {
    let parts = ["<svg", "xmlns=\"http://www.w3.org/2000/svg\"", "<style", "</svg>"];
    assert!(parts.iter().all(|part| picture.contains(part)), "{picture}");
}
