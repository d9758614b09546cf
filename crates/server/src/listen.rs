//! Connections: how many there may be, and how long they may take.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;
use tokio::time::{Duration, sleep};

use crate::runs::Runs;
use crate::simulations::Simulations;
use crate::workers::Workers;
use crate::{Environment, folder, guard, pages, runs, simulations, texts};

/// So many connections are open at the same time; others are closed at once.
const MAX_CONNECTIONS: usize = 128;
/// Who opens a connection, or keeps one, says within this time what it is for.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// The largest head of a request.
const MAX_HEAD: usize = 32 << 10;
/// What has not ended this long after the server was stopped is left alone.
const END_WITHIN: Duration = Duration::from_secs(1);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not of this machine alone.
    #[error("{0} can be reached from other machines: this server is for this machine alone")]
    NotLoopback(SocketAddr),
    /// The system refuses it.
    #[error("can't serve: {0}")]
    System(#[from] std::io::Error),
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) environment: Environment,
    /// Under which names a browser may ask: the address, with its port.
    pub(crate) hosts: [String; 2],
    /// The name of the cookie: other ports of this machine have their own.
    pub(crate) cookie: String,
    pub(crate) workers: Workers,
    pub(crate) runs: Runs,
    pub(crate) simulations: Simulations,
}

/// Serves browsers of this machine until it is told to stop; what runs then is cancelled.
///
/// # Errors
///
/// The address may be open to others, and the system may refuse threads or connections.
pub fn serve(
    listener: TcpListener,
    environment: Environment,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback(address));
    }
    listener.set_nonblocking(true)?;
    let shared = Arc::new(Shared {
        hosts: [address.to_string(), format!("localhost:{}", address.port())],
        cookie: format!("narrows_{}", address.port()),
        workers: Workers::new(environment.stack),
        runs: Runs::default(),
        simulations: Simulations::default(),
        environment,
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(accept(listener, &shared, stop));
    shared.runs.cancel_all();
    shared.simulations.end_all();
    runtime.shutdown_timeout(END_WITHIN);
    result
}

async fn accept(
    listener: TcpListener,
    shared: &Arc<Shared>,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let service = TowerToHyperService::new(routes(shared));
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(stop) => return Ok(()),
        };
        let Ok((stream, _)) = accepted else {
            // No file descriptor is left, or the client is gone already.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&free).try_acquire_owned() else { continue };
        let service = service.clone();
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(MAX_HEAD);
            // What goes wrong in a connection is the client's concern.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(100)).await;
    }
}

fn routes(shared: &Arc<Shared>) -> Router {
    let api = Router::new()
        .route("/folder", post(folder::list))
        .route("/read", post(folder::read))
        .route("/save", post(folder::save))
        .route("/messages", post(texts::messages))
        .route("/completions", post(texts::completions))
        .route("/hover", post(texts::hover))
        .route("/colours", post(texts::colours))
        .route("/definition", post(texts::definition))
        .route("/change", post(texts::change))
        .route("/explain", post(texts::explain))
        .route("/run", post(runs::run))
        .route("/simulate", post(simulations::start))
        .route("/step", post(simulations::step));
    Router::new()
        .route("/", get(pages::index))
        .route("/assets/{name}", get(pages::asset))
        .nest("/api", api)
        .fallback(pages::nothing)
        .layer(from_fn_with_state(Arc::clone(shared), guard::guard))
        .with_state(Arc::clone(shared))
}
