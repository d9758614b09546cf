//! A browser without a window, driven over its `DevTools` protocol: messages of JSON, each ended by a zero
//! byte.
//!
//! Chromium reads them from file descriptor 3 and writes to 4; a shell makes these of our pipes.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A page in a browser.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    next: u64,
    events: Vec<Value>,
}

/// Starts it; `timeout` ends it if nobody else does.
const START: &str = "exec timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
                     --no-first-run --disable-extensions --user-data-dir=\"$0\" --window-size=1280,900 \
                     --remote-debugging-pipe about:blank 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null";

/// A page that has not come so far after this time does not do what it should.
const PATIENCE: Duration = Duration::from_mins(2);

impl Browser {
    /// Says whether there is a browser to start.
    pub fn installed() -> bool {
        Command::new("chromium").arg("--version").output().is_ok_and(|output| output.status.success())
    }

    /// Says whether there is a browser to start; on a machine that tests for all, there must be one.
    pub fn is_wanted() -> bool {
        let installed = Browser::installed();
        assert!(installed || std::env::var_os("CI").is_none(), "there is no `chromium` here");
        installed
    }

    /// Makes sure that an expression has a value.
    pub fn check(&mut self, expression: &str, expected: &Value) {
        let found = self.evaluate(expression);
        assert!(
            found.as_ref().is_ok_and(|found| found == expected),
            "{expression}: {found:?}, not {expected}"
        );
    }

    /// Starts a browser that keeps its files in a folder.
    pub fn start(folder: &Path) -> io::Result<Browser> {
        let mut child = Command::new("bash")
            .args(["-c", START])
            .arg(folder.join("browser"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let lost = || io::Error::other("a pipe is missing");
        let to = child.stdin.take().ok_or_else(lost)?;
        let from = BufReader::new(child.stdout.take().ok_or_else(lost)?);
        let mut browser = Browser { child, to, from, session: None, next: 0, events: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &attach)?;
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, &json!({}))?;
        }
        Ok(browser)
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, parameters: &Value) -> io::Result<Value> {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.to, "{message}\0")?;
        self.to.flush()?;
        loop {
            let answer = self.read()?;
            if answer["id"] == json!(self.next) {
                return match answer.get("error") {
                    Some(error) => Err(io::Error::other(format!("{method}: {error}"))),
                    None => Ok(answer["result"].clone()),
                };
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> io::Result<Value> {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes)?;
        bytes.pop();
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    }

    /// Opens a file, and waits until it is there.
    pub fn open(&mut self, page: &Path) -> io::Result<()> {
        let path: String = page.display().to_string().bytes().map(encoded).collect();
        self.open_address(&format!("file://{path}"))
    }

    /// Opens an address, and waits until its page is there.
    pub fn open_address(&mut self, address: &str) -> io::Result<()> {
        self.events.retain(|event| event["method"] != "Page.loadEventFired");
        self.call("Page.navigate", &json!({ "url": address }))?;
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read()?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Keeps what is downloaded in a folder.
    pub fn keep_downloads(&mut self, folder: &Path) -> io::Result<()> {
        let keep = json!({ "behavior": "allow", "downloadPath": folder.display().to_string() });
        self.call("Browser.setDownloadBehavior", &keep).map(drop)
    }

    /// Waits until a file was downloaded whole, and returns its text.
    pub fn downloaded(&mut self, file: &Path) -> String {
        let begun = Instant::now();
        loop {
            // It has another name before it is whole.
            if let Ok(text) = std::fs::read_to_string(file)
                && !text.is_empty()
            {
                return text;
            }
            assert!(begun.elapsed() < PATIENCE, "{}: {:#?}", file.display(), self.complaints());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Evaluates an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> io::Result<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &parameters)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(io::Error::other(format!("{expression}: {details}"))),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Evaluates an expression that comes to its value later.
    pub fn evaluate_later(&mut self, expression: &str) -> io::Result<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &parameters)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(io::Error::other(details.to_string())),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        loop {
            let found = self.evaluate(&format!("Boolean({expression})"));
            if found.as_ref().is_ok_and(|found| found == &json!(true)) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{expression}: {found:?}\n{:#?}", self.complaints());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, text: &str) -> io::Result<()> {
        self.call("Input.insertText", &json!({ "text": text })).map(drop)
    }

    /// Presses a key together with Ctrl; `code` is its place on a keyboard.
    pub fn press_with_control(&mut self, key: &str, code: &str, number: u32) -> io::Result<()> {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": code, "modifiers": 2, "windowsVirtualKeyCode": number,
            });
            self.call("Input.dispatchKeyEvent", &event)?;
        }
        Ok(())
    }

    /// Presses a key that has no letter, as an input of the page needs it.
    pub fn press_code(&mut self, key: &str, number: u32) -> io::Result<()> {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": number });
            self.call("Input.dispatchKeyEvent", &event)?;
        }
        Ok(())
    }

    /// Gives the window a size, and prefers light or dark colours.
    pub fn look(&mut self, width: u32, height: u32, colours: &str) -> io::Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size)?;
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": colours }] });
        self.call("Emulation.setEmulatedMedia", &media).map(drop)
    }

    /// Returns a picture of the page, as PNG in letters (base64).
    pub fn picture(&mut self) -> io::Result<String> {
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }))?;
        Ok(picture["data"].as_str().unwrap_or_default().to_owned())
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) -> io::Result<()> {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({ "type": kind, "key": key }))?;
        }
        Ok(())
    }

    /// Clicks into the middle of an element.
    pub fn click(&mut self, selector: &str) -> io::Result<()> {
        let place = self.evaluate(&format!(
            "(() => {{ const node = document.querySelector({selector:?}); node.scrollIntoView({{ block: \
             'center' }}); const box = node.getBoundingClientRect(); return [box.left + box.width / 2, \
             box.top + box.height / 2]; }})()"
        ))?;
        for kind in ["mousePressed", "mouseReleased"] {
            let click =
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &click)?;
        }
        Ok(())
    }

    /// Moves the pointer to a place: a list of two numbers, as an expression.
    pub fn point_at(&mut self, place: &str) -> io::Result<()> {
        let place = self.evaluate(place)?;
        let move_to = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        self.call("Input.dispatchMouseEvent", &move_to).map(drop)
    }

    /// Returns what the page complained about: exceptions, messages on the console, things it could not load.
    pub fn complaints(&self) -> Vec<String> {
        let kinds = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        let bad = self.events.iter().filter(|event| kinds.iter().any(|kind| event["method"] == *kind));
        bad.map(|event| event["params"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        // If it does not listen any more, `timeout` ends it.
        if self.call("Browser.close", &json!({})).is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Writes a byte of a path as an address has it.
fn encoded(byte: u8) -> String {
    match byte {
        b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    }
}
