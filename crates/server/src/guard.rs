//! Who is answered, and what a browser may do with the answers.
//!
//! Any page that the user opens elsewhere can make the browser send requests to this machine. So a request
//! must come by one of the server's own names (`Host`: a name of others may be made to lead here), from a
//! page of the server itself (`Origin`), and from somebody who knows the token: as a cookie, or as
//! `Authorization: Bearer`.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::time::{Duration, timeout};

use crate::Refused;
use crate::listen::Shared;

/// The largest body of a request: some texts.
const MAX_BODY: usize = 16 << 20;
/// A body is there within this time.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// What a browser may do with everything that is answered: nothing but what it is meant for.
const PROTECTION: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// What a page may load; the page that the user opens says more.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Answers a request if it may be.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match judge(&shared, &request) {
        Ok(Entry::Known) => match whole(request).await {
            Ok(request) => next.run(request).await,
            Err(status) => unread(status),
        },
        Ok(Entry::New) => enter(&shared),
        Err((status, reason)) => (status, format!("{reason}\n")).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in PROTECTION {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    response
}

/// How somebody comes in.
enum Entry {
    /// With what was given before.
    Known,
    /// With the token in the address.
    New,
}

fn judge(shared: &Shared, request: &Request) -> Result<Entry, (StatusCode, &'static str)> {
    let headers = request.headers();
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if !shared.hosts.iter().any(|known| known == host) || headers.get_all(header::HOST).iter().count() != 1 {
        return Err((StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
    }
    let elsewhere = Err((StatusCode::FORBIDDEN, "this request comes from another page"));
    let origin = headers.get(header::ORIGIN);
    if origin.is_some_and(|origin| origin.as_bytes() != format!("http://{host}").as_bytes()) {
        return elsewhere;
    }
    let is_reading = request.method() == Method::GET || request.method() == Method::HEAD;
    let path = request.uri().path();
    let given = request.uri().query().and_then(|query| query.strip_prefix("token="));
    if let Some(given) = given.filter(|_| is_reading && path == "/") {
        return if is_same(given, &shared.environment.token) { Ok(Entry::New) } else { NO_TOKEN };
    }
    let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if bearer.is_some_and(|given| is_same(given, &shared.environment.token)) {
        return Ok(Entry::Known);
    }
    if !cookies(headers, &shared.cookie).any(|given| is_same(given, &shared.environment.token)) {
        return NO_TOKEN;
    }
    // A browser says where a request comes from that may change something.
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_ours = site.is_none_or(|site| site == b"same-origin" || (site == b"none" && is_reading));
    if !is_ours || (!is_reading && origin.is_none()) {
        return elsewhere;
    }
    Ok(Entry::Known)
}

const NO_TOKEN: Result<Entry, (StatusCode, &str)> =
    Err((StatusCode::FORBIDDEN, "open the address that `narrows serve` printed: it has a token"));

/// Compares texts in a time that does not tell where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differing == 0
}

fn cookies<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).filter_map(move |cookie| {
        let (known, value) = cookie.trim().split_once('=')?;
        (known == name).then_some(value)
    })
}

/// Keeps the token as a cookie, and shows the page without it in the address.
fn enter(shared: &Shared) -> Response {
    let cookie = format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000",
        shared.cookie, shared.environment.token
    );
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// Reads the body of a request, which must be small and come soon; else says which status tells that.
async fn whole(request: Request) -> Result<Request, StatusCode> {
    let (head, body) = request.into_parts();
    let length = head.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length: Option<u64> = length.and_then(|length| length.parse().ok());
    if length.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match timeout(BODY_WITHIN, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Says why a request is not read to its end; what comes still is not.
fn unread(status: StatusCode) -> Response {
    let reason = match status {
        StatusCode::PAYLOAD_TOO_LARGE => format!("a request has at most {} MiB\n", MAX_BODY >> 20),
        _ => "the request did not end\n".to_owned(),
    };
    (status, [(header::CONNECTION, "close")], reason).into_response()
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match &self {
            Refused::Bad(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Refused::Missing(_) => StatusCode::NOT_FOUND,
            Refused::Conflict(_) => StatusCode::CONFLICT,
            Refused::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Refused::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, axum::Json(json!({ "error": self.to_string() }))).into_response()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::{COOKIE, HeaderMap, HeaderValue};

    use super::{cookies, is_same};

    #[test]
    fn tokens_are_compared_whole() {
        assert!(is_same("abc", "abc"));
        for (one, other) in [("abc", "abd"), ("ab", "abc"), ("", "a"), ("abcd", "abc")] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_static("a=1; narrows_80=x; narrows_8=y"));
        assert_eq!(cookies(&headers, "narrows_80").collect::<Vec<_>>(), ["x"]);
    }
}
