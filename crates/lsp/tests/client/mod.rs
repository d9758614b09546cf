//! A client of the server, in the same process.

use std::collections::HashMap;
use std::ops::RangeBounds;
use std::thread::JoinHandle;
use std::time::Duration;

use narrows::{Budget, LoadError, Loaded, Loader, Unwatched};
use narrows_lsp::{Connection, Environment, Message, Notification, Request, ServeError, serve};
use serde_json::{Value, json};

/// Longer than any answer takes on a loaded machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Files that are not open.
struct Disk(HashMap<&'static str, &'static str>);

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = format!("{folder}/{path}");
        let text = self.0.get(name.as_str()).ok_or(LoadError::NoFiles)?;
        Ok(Loaded { name, text: (*text).to_owned() })
    }
}

pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    count: i32,
    /// What came without being asked for, oldest first.
    pub(crate) told: Vec<Notification>,
}

impl Client {
    /// Starts a server with files that are not open, and says hello.
    pub(crate) fn new(disk: &[(&'static str, &'static str)], options: &Value) -> Client {
        let (server, connection) = Connection::memory();
        let environment = Environment {
            loader: Box::new(Disk(disk.iter().copied().collect())),
            budget: Box::new(|_| Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) }),
            stack: 64 << 20,
        };
        let server = Some(std::thread::spawn(move || serve(&server, environment)));
        let mut client = Client { connection, server, count: 0, told: Vec::new() };
        let hello = json!({
            "capabilities": { "window": { "workDoneProgress": true } },
            "initializationOptions": options,
        });
        let capabilities = client.ask("initialize", &hello);
        assert_eq!(capabilities["capabilities"]["hoverProvider"], true);
        client.tell("initialized", &json!({}));
        client
    }

    pub(crate) fn tell(&self, method: &str, parameters: &Value) {
        let notification = Notification::new(method.to_owned(), parameters);
        self.connection.sender.send(notification.into()).expect("the server listens");
    }

    pub(crate) fn open(&self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    pub(crate) fn send(&mut self, method: &str, parameters: &Value) -> i32 {
        self.count += 1;
        let request = Request::new(self.count.into(), method.to_owned(), parameters);
        self.connection.sender.send(request.into()).expect("the server listens");
        self.count
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: i32) -> Result<Value, String> {
        loop {
            match self.next() {
                Message::Response(response) if response.id == id.into() => {
                    return response.response_result.map_err(|error| error.message);
                }
                Message::Notification(notification) => self.told.push(notification),
                _ => {}
            }
        }
    }

    fn next(&self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("the server answers")
    }

    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.send(method, parameters);
        self.answer(id).expect("an answer")
    }

    /// Asks about the n-th place of a word in a text.
    pub(crate) fn at(&mut self, method: &str, uri: &str, text: &str, word: &str, number: usize) -> Value {
        let parameters = json!({
            "textDocument": { "uri": uri },
            "position": position(text, word, number),
            "context": { "includeDeclaration": true, "triggerKind": 1 },
            "newName": "renamed",
        });
        self.ask(method, &parameters)
    }

    /// Waits for a message of the server that fits.
    pub(crate) fn wait(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let is_it = |told: &Notification| told.method == method && fits(&told.params);
        if let Some(known) = self.told.iter().position(is_it) {
            return self.told.remove(known).params;
        }
        loop {
            match self.next() {
                Message::Notification(told) if is_it(&told) => return told.params,
                Message::Notification(told) => self.told.push(told),
                _ => {}
            }
        }
    }

    /// Waits until so many diagnostics are told of a file.
    pub(crate) fn diagnostics(&mut self, uri: &str, count: impl RangeBounds<usize>) -> Vec<Value> {
        let told = self.wait("textDocument/publishDiagnostics", |told| {
            let list = told["diagnostics"].as_array();
            told["uri"] == uri && list.is_some_and(|list| count.contains(&list.len()))
        });
        told["diagnostics"].as_array().cloned().unwrap_or_default()
    }

    /// Says goodbye.
    pub(crate) fn end(mut self) {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        let server = self.server.take().expect("a server").join().expect("no panic");
        server.expect("the session ends well");
    }
}

/// Returns the line and column of the n-th place of a word.
pub(crate) fn position(text: &str, word: &str, number: usize) -> Value {
    let offset = text.match_indices(word).nth(number).expect("it is there").0;
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": text[start..offset].encode_utf16().count() })
}
