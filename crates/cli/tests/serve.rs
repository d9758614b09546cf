//! The server of the workbench, and clients that mean no good: they get nothing, cost nothing, and leave
//! nothing behind.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A model whose search takes far longer than a test.
const LONG: &str =
    "byte a[8]; active [6] proctype P() { byte i; do :: i = 0; do :: i < 8 -> a[i]++; i++ :: break od od }";
/// What has not happened after this time does not happen: nothing here takes long on a machine that is idle.
const PATIENCE: Duration = Duration::from_mins(2);
const SHORT: &str = "byte x; active proctype P() { x = 1; assert(x == 2) }";

/// A server of a folder of its own.
struct Server {
    child: Child,
    folder: PathBuf,
    address: String,
    token: String,
}

impl Server {
    fn start(name: &str) -> Server {
        let folder = std::env::temp_dir().join(format!("narrows-serve-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let inside = folder.join("work");
        fs::create_dir_all(&inside).expect("a folder");
        fs::write(inside.join("short.pml"), SHORT).expect("a file");
        fs::write(folder.join("secret.pml"), "secret").expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_narrows"))
            .args(["serve", "--memory", "500M"])
            .arg(&inside)
            .stdout(Stdio::piped())
            .spawn()
            .expect("narrows starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            let (address, token) = line.trim().strip_prefix("http://")?.split_once("/?token=")?;
            Some((address.to_owned(), token.to_owned()))
        });
        let (address, token) = address.expect("it prints its address");
        let server = Server { child, folder, address, token };
        // The address is printed before the threads and files of the server are there: who counts them begins
        // after its first answer.
        assert_eq!(server.ask("/api/folder", &json!({})).0, 200);
        server
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
    }

    /// Sends a request with these headers, and returns status and body.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = self.connect();
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            text.extend([*name, ": ", *value, "\r\n"]);
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).expect("the request is sent");
        answer(&mut stream)
    }

    fn cookie(&self) -> String {
        format!("narrows_{}={}", self.address.rsplit(':').next().expect("a port"), self.token)
    }

    /// Asks as the page does.
    fn ask(&self, path: &str, body: &Value) -> (u16, Value) {
        let (cookie, origin) = (self.cookie(), format!("http://{}", self.address));
        let headers = [
            ("Host", self.address.as_str()),
            ("Origin", &origin),
            ("Cookie", &cookie),
            ("Content-Type", "application/json"),
        ];
        let (status, body) = self.send("POST", path, &headers, &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }

    /// Starts a run, and returns the connection on which it tells how far it is, after its first line.
    fn start_run(&self, place: &str) -> TcpStream {
        // It does not end by itself while the test waits.
        let body = json!({
            "file": "long.pml", "texts": { "long.pml": LONG }, "task": "check", "place": place, "seconds": 3600,
        });
        let body = body.to_string();
        let mut stream = self.connect();
        let head = format!(
            "POST /api/run HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\n\
             Content-Type: application/json\r\nContent-Length: {2}\r\n\r\n{body}",
            self.address,
            self.cookie(),
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("the request is sent");
        let mut text = Vec::new();
        while !String::from_utf8_lossy(&text).contains("\"progress\"") {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("an answer");
            assert!(count > 0, "{}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&bytes[..count]);
        }
        stream
    }

    /// Returns a number that the system tells about the process.
    fn status(&self, name: &str) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        line.trim_start_matches(':').split_whitespace().next().expect("a number").parse().expect("a number")
    }

    fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("a process").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Reads status and body of an answer; a body in pieces is left so. Nothing was answered if the status is 0.
fn answer(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    // A server that closes before all was sent resets the connection; what it said before that counts.
    let mut piece = [0; 8192];
    while let Ok(count) = stream.read(&mut piece) {
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&piece[..count]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
}

/// Waits until something is so, also where many others need the machine.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn only_who_knows_the_token_gets_in() {
    let server = Server::start("token");
    let host = server.address.clone();
    let wrong =
        format!("narrows_{}=0123456789abcdef0123456789abcdef", host.rsplit(':').next().expect("a port"));
    for (path, method) in
        [("/", "GET"), ("/assets/main.js", "GET"), ("/api/folder", "POST"), ("/?token=0", "GET")]
    {
        for cookie in ["", wrong.as_str()] {
            let origin = format!("http://{host}");
            let headers = [("Host", host.as_str()), ("Origin", &origin), ("Cookie", cookie)];
            let (status, body) = server.send(method, path, &headers, "");
            assert_eq!(status, 403, "{method} {path}: {body}");
            assert!(!body.contains(&server.token) && !body.contains("short.pml"));
        }
    }
    // The address that was printed lets in, and gives a cookie that scripts do not see.
    let mut stream = server.connect();
    let request =
        format!("GET /?token={} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", server.token);
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let text = text.to_lowercase();
    for part in ["303", "httponly", "samesite=strict", "location: /\r\n", "x-content-type-options: nosniff"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The page says what it may load; nothing of it comes from elsewhere.
    let cookie = server.cookie();
    let mut stream = server.connect();
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    assert!(page.contains("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"), "{page}");
    assert!(
        !page.contains("unsafe-inline") && !page.contains("unsafe-eval") && !page.contains("NONCE"),
        "{page}"
    );
    assert!(!page.contains("https://") && !page.contains("src=\"http"), "{page}");
    let (status, folder) = server.ask("/api/folder", &json!({}));
    assert_eq!((status, &folder["files"][0]["path"]), (200, &json!("short.pml")));
    // A program may have the token in a header instead.
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", "/api/folder", &headers, "{}").0, 200);
}

#[test]
fn other_pages_and_other_names_get_nothing() {
    let server = Server::start("origin");
    let (host, cookie) = (server.address.clone(), server.cookie());
    let port = host.rsplit(':').next().expect("a port").to_owned();
    let own = format!("http://{host}");
    let send = |host: &str, more: &[(&str, &str)]| {
        let mut headers =
            vec![("Host", host), ("Cookie", cookie.as_str()), ("Content-Type", "application/json")];
        headers.extend(more);
        server.send("POST", "/api/folder", &headers, "{}").0
    };
    assert_eq!(send(&host, &[("Origin", &own)]), 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", ""] {
        assert_eq!(send(&host, &[("Origin", origin)]), 403, "{origin}");
    }
    // A request that may change something says where it comes from.
    assert_eq!(send(&host, &[]), 403);
    assert_eq!(send(&host, &[("Origin", &own), ("Sec-Fetch-Site", "cross-site")]), 403);
    for name in [format!("evil.example:{port}"), "127.0.0.1:1".to_owned()] {
        assert_eq!(send(&name, &[("Origin", &format!("http://{name}"))]), 421, "{name}");
    }
    let local = format!("localhost:{port}");
    assert_eq!(send(&local, &[("Origin", &format!("http://{local}"))]), 200);
}

#[test]
fn files_outside_are_not_there() {
    let server = Server::start("files");
    let secret = server.folder.join("secret.pml");
    #[cfg(unix)]
    for (target, name) in [(secret.as_path(), "link.pml"), (server.folder.as_path(), "out")] {
        std::os::unix::fs::symlink(target, server.folder.join("work").join(name)).expect("a link");
    }
    let whole = secret.to_str().expect("a path");
    for file in [
        "../secret.pml",
        "..",
        "./../secret.pml",
        "link.pml",
        "out/secret.pml",
        whole,
        "%2e%2e/secret.pml",
        "",
    ] {
        let (status, told) = server.ask("/api/read", &json!({ "file": file }));
        assert!((400..500).contains(&status) && !told.to_string().contains("\"secret\""), "{file}: {told}");
        let saved = json!({ "file": file, "text": "changed", "version": null, "anyway": true });
        let (status, told) = server.ask("/api/save", &saved);
        assert!((400..500).contains(&status), "{file}: {told}");
        // What a model includes is confined as well.
        let text = format!("#include \"{file}\"\n{SHORT}");
        let (_, told) = server.ask("/api/messages", &json!({ "file": "a.pml", "texts": { "a.pml": text } }));
        assert!(!told.to_string().contains("\"secret\""), "{file}: {told}");
    }
    assert_eq!(fs::read_to_string(&secret).expect("it is there"), "secret");
    // Neither are files of other kinds, nor texts that somebody else changed.
    let save = |file: &str, version: Value| {
        server.ask("/api/save", &json!({ "file": file, "text": "byte y;", "version": version }))
    };
    assert_eq!(save(".bashrc", Value::Null).0, 422);
    assert_eq!(save("short.pml", json!("old")).0, 409);
    let (_, read) = server.ask("/api/read", &json!({ "file": "short.pml" }));
    assert_eq!(read["text"], json!(SHORT));
    assert_eq!(save("short.pml", read["version"].clone()).0, 200);
    let text = fs::read_to_string(server.folder.join("work/short.pml")).expect("a text");
    assert_eq!(text, "byte y;");
}

#[test]
fn large_requests_cost_nothing() {
    let server = Server::start("large");
    let before = server.status("VmRSS");
    let (host, cookie) = (&server.address, server.cookie());
    let head = format!(
        "POST /api/messages HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nContent-Type: application/json\r\n"
    );
    // Told before, in pieces, by somebody without the token, and in the head.
    let stranger =
        format!("POST /api/messages HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let cases = [
        (format!("{head}Content-Length: 100000000\r\n\r\n"), 413),
        (format!("{head}Transfer-Encoding: chunked\r\n\r\n"), 413),
        (stranger, 403),
        (format!("{head}X-Long: "), 431),
    ];
    for (head, expected) in cases {
        let mut stream = server.connect();
        let mut reader = stream.try_clone().expect("a connection");
        stream.write_all(head.as_bytes()).expect("the head is sent");
        let is_chunked = head.contains("chunked");
        let piece = vec![b'x'; 1 << 16];
        let sender = std::thread::spawn(move || {
            for _ in 0..100_000_000 / piece.len() {
                let sent = if is_chunked {
                    write!(stream, "{:x}\r\n", piece.len())
                        .and_then(|()| stream.write_all(&piece))
                        .and_then(|()| stream.write_all(b"\r\n"))
                } else {
                    stream.write_all(&piece)
                };
                // The server does not listen any more.
                if sent.is_err() {
                    break;
                }
            }
        });
        let (status, _) = answer(&mut reader);
        drop(reader);
        sender.join().expect("it ends");
        // A reset may take the answer along, but never lets the request through.
        assert!(status == expected || status == 0, "{status}, not {expected}: {head}");
    }
    let after = server.status("VmRSS");
    assert!(after < before + 120_000, "{before} kB before, {after} kB afterwards");
    assert_eq!(server.ask("/api/folder", &json!({})).0, 200);
}

#[test]
fn a_thousand_connections_leave_room() {
    let server = Server::start("many");
    let (files, threads) = (server.open_files(), server.status("Threads"));
    let mut idle: Vec<TcpStream> =
        (0..1000).filter_map(|_| TcpStream::connect(&server.address).ok()).collect();
    // Some begin a request that they never end.
    for stream in idle.iter_mut().step_by(3) {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(server.open_files() < files + 160, "{} files are open", server.open_files());
    assert!(server.status("Threads") < threads + 20);
    // They say nothing in time, and others come in, although none of them hangs up.
    wait("the server lets others in", || {
        let Ok(mut stream) = TcpStream::connect(&server.address) else { return false };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
        stream.write_all(request.as_bytes()).is_ok() && answer(&mut stream).0 == 403
    });
    drop(idle);
    wait("all connections are closed", || server.open_files() <= files + 2);
    assert_eq!(server.ask("/api/folder", &json!({})).0, 200);
}

#[test]
fn runs_end_when_nobody_waits() {
    let server = Server::start("runs");
    let threads = server.status("Threads");
    // The client is gone.
    drop(server.start_run("a"));
    wait("the run of a client that is gone ends", || server.status("Threads") <= threads + 4);
    // Another one takes the place.
    let mut first = server.start_run("b");
    let second = server.start_run("b");
    let (_, told) = answer_of_run(&mut first);
    assert!(told.contains("\"cancelled\":true"), "{told}");
    // Those that wait give way as well.
    let more: Vec<TcpStream> = (0..2).map(|_| server.connect()).collect();
    drop((second, more));
    wait("all runs end", || server.status("Threads") <= threads + 4);
    let (status, result) =
        server.ask("/api/run", &json!({ "file": "short.pml", "task": "check", "place": "c" }));
    let told = result.to_string();
    assert!(status == 200 && told.contains("fails"), "{told}");
    assert!(server.open_files() < 40);
}

/// Reads what a run tells until its last line.
fn answer_of_run(stream: &mut TcpStream) -> (u16, String) {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !text.contains("cancelled") {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => text.push_str(&String::from_utf8_lossy(&piece[..count])),
            _ => break,
        }
    }
    (0, text)
}

#[test]
fn simulations_are_few() {
    let server = Server::start("simulations");
    let threads = server.status("Threads");
    let begin = json!({ "file": "short.pml" });
    let (status, first) = server.ask("/api/simulate", &begin);
    assert_eq!((status, &first["step"]), (200, &json!(0)), "{first}");
    let order = |number: &Value, order: Value| {
        let mut body = order;
        body["number"] = number.clone();
        server.ask("/api/step", &body)
    };
    let (_, state) = order(&first["number"], json!({ "do": "choose", "step": 0 }));
    assert_eq!((&state["step"], &state["choices"]), (&json!(1), &json!([0])), "{state}");
    let (_, state) = order(&first["number"], json!({ "do": "random", "count": 10 }));
    assert!(state["wrong"].as_str().is_some_and(|wrong| wrong.contains("assertion")), "{state}");
    let (_, drawn) = order(&first["number"], json!({ "do": "draw" }));
    assert!(
        drawn["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg") && !svg.contains("<style")),
        "{drawn}"
    );
    let (_, back) = order(&first["number"], json!({ "do": "jump", "step": 0 }));
    assert_eq!(back["step"], json!(0));
    for _ in 0..40 {
        assert_eq!(server.ask("/api/simulate", &begin).0, 200);
    }
    assert_eq!(order(&first["number"], json!({ "do": "back" })).0, 404);
    wait("threads of simulations end", || server.status("Threads") <= threads + 20);
}

#[test]
fn it_serves_this_machine_alone_and_ends_when_told() {
    let mut server = Server::start("end");
    assert!(server.address.starts_with("127.0.0.1:"));
    let _running = server.start_run("a");
    let kill =
        Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().expect("kill runs");
    assert!(kill.success());
    let begun = Instant::now();
    let status = server.child.wait().expect("it ends");
    assert!(status.success() && begun.elapsed() < PATIENCE, "{status}");
    let missing = Command::new(env!("CARGO_BIN_EXE_narrows")).args(["serve", "no-such-folder"]).output();
    let missing = missing.expect("narrows runs");
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-folder"));
    assert!(!Path::new("no-such-folder").exists());
}
