//! Answers about texts, in the words of the protocol.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CompletionItem, CompletionItemKind, CompletionTextEdit, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DocumentSymbol, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, NumberOrString, Position, SymbolKind, TextEdit, Uri, WorkspaceEdit,
};
use narrows::Loader;
use narrows::editing::{
    CompletionKind, Files, Lines, Message, NameKind, Place, RenameError, Symbol, formatted, messages,
};
use serde_json::{Value, json};

use crate::documents::Documents;
use crate::places::{offset, range};

/// Texts, and the place a request is about.
pub(crate) struct Asked<'d> {
    documents: &'d Documents,
    files: Files,
    offset: usize,
}

impl<'d> Asked<'d> {
    pub(crate) fn new(documents: &'d Documents, name: &str, at: Position, disk: &dyn Loader) -> Option<Self> {
        let files = documents.files(name, disk)?;
        let offset = offset(&Lines::new(&files.document(0).text), at);
        Some(Asked { documents, files, offset })
    }

    fn location(&self, place: &Place) -> Option<Location> {
        let file = self.files.find(&place.file)?;
        let lines = Lines::new(&self.files.document(file).text);
        Some(Location { uri: self.documents.uri(&place.file)?, range: range(&lines, &place.place) })
    }

    pub(crate) fn definition(&self) -> Option<Location> {
        self.location(&self.files.definition(0, self.offset)?)
    }

    pub(crate) fn references(&self, with_declaration: bool) -> Vec<Location> {
        let declared = self.files.definition(0, self.offset).filter(|_| !with_declaration);
        let places = self.files.references(0, self.offset);
        let wanted = places.iter().filter(|place| declared.as_ref() != Some(*place));
        wanted.filter_map(|place| self.location(place)).collect()
    }

    pub(crate) fn rename_range(&self) -> Option<lsp_types::Range> {
        let place = self.files.renamed_at(0, self.offset)?;
        Some(range(&Lines::new(&self.files.document(0).text), &place))
    }

    pub(crate) fn rename(&self, name: &str) -> Result<WorkspaceEdit, RenameError> {
        // `Uri` has a cache inside that neither equality nor hash looks at.
        #[allow(clippy::mutable_key_type)]
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for place in self.files.rename(0, self.offset, name)? {
            if let Some(location) = self.location(&place) {
                let edit = TextEdit { range: location.range, new_text: name.to_owned() };
                changes.entry(location.uri).or_default().push(edit);
            }
        }
        Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
    }

    pub(crate) fn hover(&self) -> Option<Hover> {
        let hover = self.files.hover(0, self.offset)?;
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: hover.text });
        let lines = Lines::new(&self.files.document(0).text);
        Some(Hover { contents, range: Some(range(&lines, &hover.place)) })
    }

    pub(crate) fn completions(&self) -> Vec<CompletionItem> {
        let lines = Lines::new(&self.files.document(0).text);
        let item = |found: narrows::editing::Completion| {
            let edit = TextEdit { range: range(&lines, &found.replaces), new_text: found.text.clone() };
            let kind = match found.kind {
                CompletionKind::Keyword => CompletionItemKind::KEYWORD,
                CompletionKind::StudyName => CompletionItemKind::REFERENCE,
                CompletionKind::Named(kind) => completion_kind(kind),
            };
            CompletionItem {
                // What the text names comes before the words of the language.
                sort_text: Some(format!("{}{}", u8::from(found.kind == CompletionKind::Keyword), found.text)),
                label: found.text,
                kind: Some(kind),
                detail: (!found.detail.is_empty()).then_some(found.detail),
                text_edit: Some(CompletionTextEdit::Edit(edit)),
                ..CompletionItem::default()
            }
        };
        self.files.completions(0, self.offset).into_iter().map(item).collect()
    }
}

fn completion_kind(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Process => CompletionItemKind::CLASS,
        NameKind::Module => CompletionItemKind::MODULE,
        NameKind::Inline | NameKind::Operation | NameKind::Property => CompletionItemKind::FUNCTION,
        NameKind::Macro | NameKind::Definition => CompletionItemKind::CONSTANT,
        NameKind::Type => CompletionItemKind::STRUCT,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Constant => CompletionItemKind::ENUM_MEMBER,
        NameKind::Variable | NameKind::Channel | NameKind::Parameter => CompletionItemKind::VARIABLE,
        NameKind::Label => CompletionItemKind::EVENT,
        NameKind::Gate => CompletionItemKind::INTERFACE,
    }
}

fn symbol_kind(kind: Option<NameKind>) -> SymbolKind {
    match kind {
        Some(NameKind::Process) => SymbolKind::CLASS,
        Some(NameKind::Module) => SymbolKind::MODULE,
        Some(NameKind::Inline | NameKind::Operation | NameKind::Property) => SymbolKind::FUNCTION,
        Some(NameKind::Macro | NameKind::Definition) => SymbolKind::CONSTANT,
        Some(NameKind::Type) => SymbolKind::STRUCT,
        Some(NameKind::Field) => SymbolKind::FIELD,
        Some(NameKind::Constant) => SymbolKind::ENUM_MEMBER,
        Some(NameKind::Variable | NameKind::Channel | NameKind::Parameter) => SymbolKind::VARIABLE,
        Some(NameKind::Label) => SymbolKind::EVENT,
        Some(NameKind::Gate) => SymbolKind::INTERFACE,
        None => SymbolKind::KEY,
    }
}

/// Returns the outline of a file.
pub(crate) fn symbols(files: &Files, file: usize) -> Vec<DocumentSymbol> {
    let lines = Lines::new(&files.document(file).text);
    files.symbols(file).into_iter().map(|symbol| document_symbol(symbol, &lines)).collect()
}

fn document_symbol(symbol: Symbol, lines: &Lines<'_>) -> DocumentSymbol {
    let children: Vec<_> = symbol.children.into_iter().map(|child| document_symbol(child, lines)).collect();
    #[allow(deprecated)]
    DocumentSymbol {
        name: symbol.name,
        detail: None,
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: range(lines, &symbol.extent),
        selection_range: range(lines, &symbol.place),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Returns the change that gives a study its usual layout.
pub(crate) fn layout(documents: &Documents, name: &str) -> Vec<TextEdit> {
    let Some(open) = documents.get(name).filter(|open| !open.document.is_foreign()) else {
        return Vec::new();
    };
    let text = &open.document.text;
    match formatted(&open.document) {
        Some(new_text) if new_text != *text => {
            vec![TextEdit { range: range(&Lines::new(text), &(0..text.len())), new_text }]
        }
        _ => Vec::new(),
    }
}

/// Says what is wrong with an open text, by the files that it is about.
pub(crate) fn diagnostics(
    documents: &Documents,
    name: &str,
    disk: &dyn Loader,
) -> HashMap<String, Vec<Diagnostic>> {
    let mut found: HashMap<String, Vec<Diagnostic>> = HashMap::from([(name.to_owned(), Vec::new())]);
    let Some(open) = documents.get(name).filter(|open| !open.document.is_foreign()) else { return found };
    let overlay = documents.overlay(disk);
    let files = documents.files(name, disk);
    let text_of = |file: &str| {
        let files = files.as_ref()?;
        Some(files.document(files.find(file)?).text.clone())
    };
    for message in messages(name, &open.document.text, &overlay) {
        // What is wrong with a text of ours, such as an option, has no file.
        let (file, text) = match text_of(&message.file) {
            Some(text) => (message.file.clone(), text),
            None => (name.to_owned(), String::new()),
        };
        let diagnostic = diagnostic(&message, &Lines::new(&text), documents, &text_of);
        found.entry(file).or_default().push(diagnostic);
    }
    found
}

fn diagnostic(
    message: &Message,
    lines: &Lines<'_>,
    documents: &Documents,
    text_of: &dyn Fn(&str) -> Option<String>,
) -> Diagnostic {
    let related = message.related.iter().filter_map(|related| {
        let text = text_of(&related.file)?;
        let range = range(&Lines::new(&text), &related.place);
        let location = Location { uri: documents.uri(&related.file)?, range };
        Some(DiagnosticRelatedInformation { location, message: related.text.clone() })
    });
    let related: Vec<_> = related.collect();
    // The fix travels with the message, and comes back when the editor asks for actions.
    let data =
        message.fix.as_ref().map(|fix| json!({ "range": range(lines, &fix.place), "text": fix.replacement }));
    Diagnostic {
        range: range(lines, &message.place),
        severity: Some(if message.is_error {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::WARNING
        }),
        code: Some(NumberOrString::String(message.code.to_owned())),
        source: Some("narrows".to_owned()),
        message: message.text.clone(),
        related_information: (!related.is_empty()).then_some(related),
        data,
        ..Diagnostic::default()
    }
}

/// Returns the changes that do away with what diagnostics are about.
pub(crate) fn fixes(uri: &Uri, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    let fix = |diagnostic: &Diagnostic| {
        let data: &Value = diagnostic.data.as_ref()?;
        let range = serde_json::from_value(data.get("range")?.clone()).ok()?;
        let new_text = data.get("text")?.as_str()?.to_owned();
        let title = format!("Replace by `{new_text}`");
        #[allow(clippy::mutable_key_type)]
        let changes = HashMap::from([(uri.clone(), vec![TextEdit { range, new_text }])]);
        Some(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic.clone()]),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    };
    diagnostics.iter().filter_map(fix).collect()
}
