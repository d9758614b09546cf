//! The pages, and what they consist of. All of it is in the program.

use std::hash::{BuildHasher, Hasher, RandomState};

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const PAGE: &str = include_str!("../web/index.html");
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// What a page is made of: names, kinds and texts.
const ASSETS: &[(&str, &str, &str)] = &[
    ("style.css", STYLE, include_str!("../web/style.css")),
    ("main.js", SCRIPT, include_str!("../web/main.js")),
    ("server.js", SCRIPT, include_str!("../web/server.js")),
    ("host.js", SCRIPT, include_str!("../web/host.js")),
    ("dom.js", SCRIPT, include_str!("../web/dom.js")),
    ("files.js", SCRIPT, include_str!("../web/files.js")),
    ("editor.js", SCRIPT, include_str!("../web/editor.js")),
    ("plain_editor.js", SCRIPT, include_str!("../web/plain_editor.js")),
    ("answers.js", SCRIPT, include_str!("../web/answers.js")),
    ("simulator.js", SCRIPT, include_str!("../web/simulator.js")),
    ("bottleneck.js", SCRIPT, include_str!("../web/bottleneck.js")),
    ("sweep.js", SCRIPT, include_str!("../web/sweep.js")),
    ("plot.js", SCRIPT, include_str!("../web/plot.js")),
    ("link.js", SCRIPT, include_str!("../web/link.js")),
    ("icon.svg", "image/svg+xml", include_str!("../web/icon.svg")),
];

/// The editor, with what others wrote for it; a program that was built without it has a plain text field.
#[cfg(bundled)]
const BUNDLE: Option<&str> = Some(include_str!("../web/editor_bundle.js"));
#[cfg(not(bundled))]
const BUNDLE: Option<&str> = None;

/// Returns whether the program was built with the editor.
pub(crate) fn is_bundled() -> bool {
    BUNDLE.is_some()
}

/// The page that the user opens.
///
/// It loads what this server has, and nothing else; styles that scripts make are known by a number that is
/// another one each time.
pub(crate) async fn index() -> Response {
    let number = || RandomState::new().build_hasher().finish();
    let nonce = format!("{:016x}{:016x}", number(), number());
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: \
         blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace("NONCE", &nonce);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, page).into_response()
}

/// A part of the page.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    let found = ASSETS.iter().find(|(known, ..)| *known == name);
    let (kind, text) = match (found, BUNDLE) {
        (Some((_, kind, text)), _) => (*kind, (*text).to_owned()),
        (None, Some(bundle)) if name == "editor_bundle.js" => (SCRIPT, bundle.to_owned()),
        _ if name == "drawings.css" => (STYLE, narrows_report::drawing_style()),
        _ => return nothing().await,
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// What there is where nothing is.
pub(crate) async fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here\n").into_response()
}
