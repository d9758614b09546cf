//! The loop: messages in, answers out.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    DocumentFormattingParams, DocumentSymbolParams, ExecuteCommandParams, GotoDefinitionParams, HoverParams,
    InlayHintParams, PublishDiagnosticsParams, ReferenceParams, RenameParams, SemanticTokensParams,
    TextDocumentPositionParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Environment;
use crate::answers::{self, Asked};
use crate::colours;
use crate::documents::Documents;
use crate::lenses::{failures, hints, lenses};
use crate::places::name_of;
use crate::runs::{Ended, Order, Results, Task, start};
use crate::transport::{ReceiveError, Transport};

/// A run may take so many seconds if the client does not say.
const SECONDS: f64 = 60.0;

/// Why the server ended before the client asked it to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not keep to the protocol, or is gone.
    #[error("the editor and the server do not understand each other")]
    Protocol(#[from] ProtocolError),
    /// What the client sent can't be read.
    #[error("the editor sent what can't be read")]
    Unreadable(#[from] ReceiveError),
    /// Messages can't be written.
    #[error("the connection to the editor broke")]
    Broken(#[from] std::io::Error),
}

/// Serves a client over standard input and output, until it ends the session.
///
/// # Errors
///
/// The client may be gone, or not keep to the protocol.
pub fn serve_stdio(environment: Environment) -> Result<(), ServeError> {
    let input = std::io::BufReader::new(std::io::stdin());
    let (connection, transport) = Transport::start(input, std::io::stdout())?;
    let result = serve(&connection, environment);
    if let Some(error) = transport.failure() {
        return Err(error.into());
    }
    result?;
    // The threads end when nobody sends any more.
    drop(connection);
    Ok(transport.join()?)
}

/// Serves a client over a connection, until it ends the session.
///
/// # Errors
///
/// The client may be gone, or not keep to the protocol.
pub fn serve(connection: &Connection, environment: Environment) -> Result<(), ServeError> {
    let (id, parameters) = connection.initialize_start()?;
    let server = json!({ "name": "narrows", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": server }))?;
    let (sender, ended) = crossbeam_channel::unbounded();
    let mut server = Server {
        environment: Arc::new(environment),
        client: connection.sender.clone(),
        options: ClientOptions::read(&parameters),
        documents: Documents::default(),
        dirty: HashSet::new(),
        told: HashMap::new(),
        published: HashSet::new(),
        results: HashMap::new(),
        runs: Vec::new(),
        count: 0,
        sender,
    };
    let stack = server.environment.stack;
    // Texts are walked by recursion.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("server".to_owned()).stack_size(stack);
        let thread = thread.spawn_scoped(scope, || server.run(connection, &ended))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(())
    })
}

/// What the server can do.
fn capabilities() -> Value {
    json!({
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": { "prepareProvider": true },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", ":", "@", "\""] },
        "documentSymbolProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "codeLensProvider": {},
        "inlayHintProvider": true,
        "semanticTokensProvider": { "legend": colours::legend(), "full": true },
        "executeCommandProvider": { "commands": ["narrows.check", "narrows.bottleneck"] },
    })
}

/// What the client can do, and wants.
struct ClientOptions {
    /// What it can do or wants, by the place in its first message.
    wanted: Vec<&'static str>,
    /// How long a run may take.
    seconds: f64,
}

const SHOWS_PROGRESS: &str = "/capabilities/window/workDoneProgress";
const REFRESHES_HINTS: &str = "/capabilities/workspace/inlayHint/refreshSupport";
const SIMULATES: &str = "/initializationOptions/simulates";
const CHECKS_ON_SAVE: &str = "/initializationOptions/checkOnSave";

impl ClientOptions {
    fn read(parameters: &Value) -> ClientOptions {
        let is_true = |path: &&str| parameters.pointer(path).and_then(Value::as_bool) == Some(true);
        let all = [SHOWS_PROGRESS, REFRESHES_HINTS, SIMULATES, CHECKS_ON_SAVE];
        ClientOptions {
            wanted: all.into_iter().filter(is_true).collect(),
            seconds: parameters
                .pointer("/initializationOptions/seconds")
                .and_then(Value::as_f64)
                .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
                .unwrap_or(SECONDS),
        }
    }

    fn has(&self, wanted: &str) -> bool {
        self.wanted.contains(&wanted)
    }
}

/// A run that has not ended.
struct Running {
    name: String,
    request: Option<RequestId>,
    token: Option<String>,
    cancelled: Arc<AtomicBool>,
}

struct Server {
    environment: Arc<Environment>,
    client: Sender<Message>,
    options: ClientOptions,
    documents: Documents,
    /// Texts that were changed, and not looked at since.
    dirty: HashSet<String>,
    /// What is wrong with each open text, by the file that it is about.
    told: HashMap<String, HashMap<String, Vec<Diagnostic>>>,
    /// The files about which the client was told something.
    published: HashSet<String>,
    /// What runs found, with the version of the text.
    results: HashMap<String, (i32, Results)>,
    runs: Vec<Running>,
    count: u64,
    sender: Sender<Ended>,
}

impl Server {
    fn run(&mut self, connection: &Connection, ended: &Receiver<Ended>) {
        loop {
            // Who types fast wants an answer about the last letter.
            if connection.receiver.is_empty() {
                self.look_at_changes();
            }
            select! {
                recv(connection.receiver) -> message => {
                    let Ok(message) = message else { break };
                    match message {
                        Message::Request(request) => {
                            // A client that is gone after it said goodbye has no use for an error.
                            if connection.handle_shutdown(&request).unwrap_or(true) {
                                break;
                            }
                            self.request(request);
                        }
                        Message::Notification(notification) => self.notification(notification),
                        Message::Response(_) => {}
                    }
                }
                recv(ended) -> run => {
                    if let Ok(run) = run {
                        self.ended(run);
                    }
                }
            }
        }
        for run in &self.runs {
            run.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the client is gone, the loop ends by itself.
        let _ = self.client.send(message.into());
    }

    fn notify(&self, method: &str, parameters: &impl serde::Serialize) {
        self.send(Notification::new(method.to_owned(), parameters));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if method == "workspace/executeCommand" {
            self.execute(id, params);
            return;
        }
        let answer = self.answer(&method, params);
        self.send(match answer {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    /// Answers a question about a text.
    fn answer(&self, method: &str, parameters: Value) -> Result<Value, (ErrorCode, String)> {
        let disk = &*self.environment.loader;
        let asked = |at: &TextDocumentPositionParams| {
            Asked::new(&self.documents, &name_of(&at.text_document.uri), at.position, disk)
        };
        let value = match method {
            "textDocument/definition" => {
                let at: GotoDefinitionParams = taken(parameters)?;
                json!(asked(&at.text_document_position_params).and_then(|asked| asked.definition()))
            }
            "textDocument/references" => {
                let at: ReferenceParams = taken(parameters)?;
                let all = at.context.include_declaration;
                json!(asked(&at.text_document_position).map(|asked| asked.references(all)))
            }
            "textDocument/prepareRename" => {
                let at: TextDocumentPositionParams = taken(parameters)?;
                json!(asked(&at).and_then(|asked| asked.rename_range()))
            }
            "textDocument/rename" => {
                let at: RenameParams = taken(parameters)?;
                let edit = asked(&at.text_document_position).map(|asked| asked.rename(&at.new_name));
                let edit = edit.transpose();
                json!(edit.map_err(|error| (ErrorCode::RequestFailed, error.to_string()))?)
            }
            "textDocument/hover" => {
                let at: HoverParams = taken(parameters)?;
                json!(asked(&at.text_document_position_params).and_then(|asked| asked.hover()))
            }
            "textDocument/completion" => {
                let at: CompletionParams = taken(parameters)?;
                json!(asked(&at.text_document_position).map(|asked| asked.completions()))
            }
            "textDocument/documentSymbol" => {
                let about: DocumentSymbolParams = taken(parameters)?;
                let files = self.documents.files(&name_of(&about.text_document.uri), disk);
                json!(files.map(|files| answers::symbols(&files, 0)))
            }
            "textDocument/semanticTokens/full" => {
                let about: SemanticTokensParams = taken(parameters)?;
                let files = self.documents.files(&name_of(&about.text_document.uri), disk);
                json!(files.map(|files| colours::tokens(&files, 0)))
            }
            "textDocument/formatting" => {
                let about: DocumentFormattingParams = taken(parameters)?;
                json!(answers::layout(&self.documents, &name_of(&about.text_document.uri)))
            }
            "textDocument/codeAction" => {
                let about: CodeActionParams = taken(parameters)?;
                json!(answers::fixes(&about.text_document.uri, &about.context.diagnostics))
            }
            "textDocument/codeLens" => {
                let about: CodeLensParams = taken(parameters)?;
                let uri = about.text_document.uri;
                let open = self.documents.get(&name_of(&uri));
                json!(open.map(|open| lenses(&open.document, &uri, self.options.has(SIMULATES))))
            }
            "textDocument/inlayHint" => {
                let about: InlayHintParams = taken(parameters)?;
                json!(self.hints(&name_of(&about.text_document.uri)))
            }
            other => {
                return Err((ErrorCode::MethodNotFound, format!("unknown request `{other}`")));
            }
        };
        Ok(value)
    }

    /// Returns what came out of the text as it is now.
    fn current(&self, name: &str) -> Option<&Results> {
        let open = self.documents.get(name)?;
        let (version, results) = self.results.get(name)?;
        (*version == open.version).then_some(results)
    }

    fn hints(&self, name: &str) -> Vec<lsp_types::InlayHint> {
        match (self.documents.get(name), self.current(name)) {
            (Some(open), Some(results)) => hints(&open.document, results),
            _ => Vec::new(),
        }
    }

    /// Runs a command; its answer comes when the run has ended.
    fn execute(&mut self, id: RequestId, parameters: Value) {
        let order = taken::<ExecuteCommandParams>(parameters).and_then(|command| {
            let task = Task::of_command(&command.command);
            let task = task.ok_or_else(|| {
                (ErrorCode::InvalidParams, format!("unknown command `{}`", command.command))
            })?;
            let uri = command.arguments.first().and_then(Value::as_str);
            let uri = uri.and_then(|uri| uri.parse::<Uri>().ok());
            let name = uri.map(|uri| name_of(&uri)).filter(|name| self.documents.get(name).is_some());
            let name = name.ok_or_else(|| {
                (ErrorCode::InvalidParams, "the command needs the address of an open text".to_owned())
            })?;
            Ok((task, name))
        });
        match order {
            Ok((task, name)) => self.start(name, task, Some(id)),
            Err((code, message)) => self.send(Response::new_err(id, code as i32, message)),
        }
    }

    /// Starts a run; one on the same text that has not ended is cancelled.
    fn start(&mut self, name: String, task: Task, request: Option<RequestId>) {
        for run in self.runs.iter().filter(|run| run.name == name) {
            run.cancelled.store(true, Ordering::Relaxed);
        }
        let Some(open) = self.documents.get(&name) else { return };
        self.count += 1;
        let token = self.options.has(SHOWS_PROGRESS).then(|| format!("narrows {}", self.count));
        let disk = &*self.environment.loader;
        let order = Order {
            version: open.version,
            task,
            seconds: self.options.seconds,
            request: request.clone(),
            token: token.clone(),
            texts: self.documents.overlay(disk).texts,
            name: name.clone(),
        };
        match start(order, &self.environment, self.client.clone(), self.sender.clone()) {
            Ok(cancelled) => self.runs.push(Running { name, request, token, cancelled }),
            Err(error) => {
                if let Some(id) = request {
                    let message = format!("no thread can be started: {error}");
                    self.send(Response::new_err(id, ErrorCode::InternalError as i32, message));
                }
            }
        }
    }

    /// Takes what a run found.
    fn ended(&mut self, run: Ended) {
        let place = self.runs.iter().position(|known| known.request == run.request && known.name == run.name);
        if let Some(place) = place {
            self.runs.remove(place);
        }
        let response = match &run.results {
            _ if run.is_cancelled => Err((ErrorCode::RequestCanceled, "cancelled".to_owned())),
            Ok(results) => Ok(json!({
                "report": results.report,
                "answers": results.outcomes.iter().map(|outcome| {
                    json!({ "what": outcome.what, "text": outcome.text, "fails": outcome.fails })
                }).collect::<Vec<_>>(),
            })),
            Err(reason) => Err((ErrorCode::RequestFailed, reason.to_string())),
        };
        if let Some(id) = run.request {
            self.send(match response {
                Ok(result) => Response::new_ok(id, result),
                Err((code, message)) => Response::new_err(id, code as i32, message),
            });
        }
        if run.is_cancelled {
            return;
        }
        if let Ok(results) = run.results {
            self.results.insert(run.name.clone(), (run.version, results));
            self.publish(&run.name);
            self.refresh_hints();
        }
    }

    fn refresh_hints(&mut self) {
        if self.options.has(REFRESHES_HINTS) {
            self.count += 1;
            let id = RequestId::from(format!("refresh {}", self.count));
            self.send(Request::new(id, "workspace/inlayHint/refresh".to_owned(), Value::Null));
        }
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(about) = taken::<DidOpenTextDocumentParams>(params) {
                    let text = about.text_document;
                    self.documents.open(text.uri, text.version, &text.language_id, text.text);
                    self.changed();
                }
            }
            "textDocument/didChange" => {
                if let Ok(about) = taken::<DidChangeTextDocumentParams>(params) {
                    let text = about.text_document;
                    self.documents.change(&text.uri, text.version, about.content_changes);
                    self.changed();
                }
            }
            "textDocument/didClose" => {
                if let Ok(about) = taken::<DidCloseTextDocumentParams>(params) {
                    let name = self.documents.close(&about.text_document.uri);
                    self.results.remove(&name);
                    self.told.remove(&name);
                    for run in self.runs.iter().filter(|run| run.name == name) {
                        run.cancelled.store(true, Ordering::Relaxed);
                    }
                    self.publish(&name);
                    self.changed();
                }
            }
            "textDocument/didSave" if self.options.has(CHECKS_ON_SAVE) => {
                if let Ok(about) = taken::<DidSaveTextDocumentParams>(params) {
                    self.start(name_of(&about.text_document.uri), Task::Check, None);
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = params.get("token").and_then(Value::as_str);
                for run in self.runs.iter().filter(|run| run.token.as_deref() == token) {
                    run.cancelled.store(true, Ordering::Relaxed);
                }
            }
            "$/cancelRequest" => {
                let id = params.get("id").cloned().map(serde_json::from_value::<RequestId>);
                let Some(Ok(id)) = id else { return };
                for run in self.runs.iter().filter(|run| run.request.as_ref() == Some(&id)) {
                    run.cancelled.store(true, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }

    /// A text was changed: all that name it, or are named by it, are looked at again.
    fn changed(&mut self) {
        self.dirty.extend(self.documents.names());
    }

    fn look_at_changes(&mut self) {
        let mut names: Vec<String> = self.dirty.drain().collect();
        names.sort();
        let environment = Arc::clone(&self.environment);
        let disk = &*environment.loader;
        for name in names {
            // What others include is looked at together with them: alone it may lack what they declare.
            let found = match self.documents.get(&name) {
                Some(_) if self.is_included(&name) => HashMap::new(),
                Some(_) => answers::diagnostics(&self.documents, &name, disk),
                None => continue,
            };
            let about: Vec<String> = found
                .keys()
                .chain(self.told.get(&name).into_iter().flat_map(HashMap::keys))
                .cloned()
                .collect();
            self.told.insert(name.clone(), found);
            self.publish(&name);
            for file in about.iter().filter(|file| **file != name) {
                self.publish(file);
            }
        }
    }

    /// Returns whether another open text includes this one. A study does not include its model.
    fn is_included(&self, name: &str) -> bool {
        let disk = &*self.environment.loader;
        self.documents.names().iter().filter(|other| *other != name).any(|other| {
            let Some(files) = self.documents.files(other, disk) else { return false };
            !files.document(0).is_study() && files.includes(0, name)
        })
    }

    /// Tells the client what is wrong with a file: what its text says, and what runs found.
    fn publish(&mut self, name: &str) {
        let mut list: Vec<Diagnostic> = Vec::new();
        for diagnostic in self.told.values().filter_map(|told| told.get(name)).flatten() {
            if !list.contains(diagnostic) {
                list.push(diagnostic.clone());
            }
        }
        if let (Some(open), Some(results)) = (self.documents.get(name), self.current(name)) {
            list.extend(failures(&open.document, results));
        }
        if list.is_empty() && !self.published.contains(name) && self.documents.get(name).is_none() {
            return;
        }
        let Some(uri) = self.documents.uri(name) else { return };
        if list.is_empty() {
            self.published.remove(name);
        } else {
            self.published.insert(name.to_owned());
        }
        let version = self.documents.get(name).map(|open| open.version);
        let parameters = PublishDiagnosticsParams { uri, diagnostics: list, version };
        self.notify("textDocument/publishDiagnostics", &parameters);
    }
}

/// Reads the parameters of a message.
fn taken<T: DeserializeOwned>(parameters: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(parameters).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}
