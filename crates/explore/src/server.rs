//! The server: a few requests over HTTP/1.1, on this machine only.
//!
//! One thread accepts connections and reads requests; the program is asked on another one, so that a slow step holds up
//! nothing but its answer. Everything has a limit: connections, bodies, the time in which a request has to arrive.

use crate::guard::{Guard, Refused, random_digits};
use crate::session::{Exhibit, Session, Unanswered};
use crate::watch::{self, Gate, Run};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use mazurka::report::explore::wire::{self, Pace, Request as Asked};
use mazurka::report::html;
use mazurka::{Cancel, Engine};
use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 64;
/// The largest body of a request.
const LARGEST_BODY: usize = 64 * 1024;
/// How long the head of a request may take to arrive, and then its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether the command is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Why there is no server.
#[derive(Debug)]
pub enum ServeError {
    /// The place where the page should begin does not exist.
    NoBeginning(String),
    /// The port cannot be had.
    Port(u16, io::Error),
    /// The system does not do what a server needs.
    System(io::Error),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServeError::NoBeginning(why) => write!(f, "{why}"),
            ServeError::Port(port, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "port {port} is taken by another program")
            }
            ServeError::Port(port, error) => write!(f, "port {port}: {error}"),
            ServeError::System(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Where the page can be opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The address, with the token.
    pub address: String,
}

/// How many lines of a watched engine may wait to be sent; then the engine waits.
const MOST_LINES: usize = 1024;

/// A request, and where its answer goes.
type Job = (Question, oneshot::Sender<Result<String, Unanswered>>);

/// What the thread that knows the program is asked.
enum Question {
    /// A request that needs no engine.
    Plain(Asked),
    /// To run an engine of this name.
    Watch(String, Arc<Gate>, mpsc::Sender<String>),
}

/// Serves the page until `cancel` says so. `opened` is told where it can be opened.
pub fn serve(
    exhibit: &Exhibit<'_>,
    port: u16,
    cancel: &Cancel,
    opened: impl FnOnce(&Opened),
) -> Result<(), ServeError> {
    // Whether the place exists is said before a port is bound.
    Session::new(exhibit).map_err(ServeError::NoBeginning)?;
    let (desk, jobs) = channel();
    let (stage, runs) = channel();
    thread::scope(|scope| {
        scope.spawn(move || work(exhibit, &jobs, &stage));
        scope.spawn(move || runs.into_iter().for_each(|run| watch::run(exhibit, run)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::System)?;
        let served = runtime.block_on(listen(port, desk, cancel, opened));
        runtime.shutdown_background();
        served
    })
}

/// Answers one request after the other, until no more can come.
fn work(exhibit: &Exhibit<'_>, jobs: &Receiver<Job>, stage: &Sender<Run>) {
    let Ok(mut session) = Session::new(exhibit) else { return };
    while let Ok((question, answer)) = jobs.recv() {
        let answered = match question {
            Question::Plain(asked) => session.answer(&asked),
            Question::Watch(name, gate, lines) => {
                let begin = |engine: Engine| stage.send(Run { engine, gate, lines });
                exhibit.engine(&name).map(|engine| {
                    let _ = begin(engine);
                    wire::done()
                })
            }
        };
        // Whoever asked may have gone away.
        let _ = answer.send(answered);
    }
}

/// Binds the port and accepts connections.
async fn listen(port: u16, desk: Sender<Job>, cancel: &Cancel, opened: impl FnOnce(&Opened)) -> Result<(), ServeError> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = bound.map_err(|error| ServeError::Port(port, error))?;
    let port = listener.local_addr().map_err(ServeError::System)?.port();
    // Not every machine has the newer protocol.
    let other = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await.ok();
    let token = random_digits().map_err(|error| ServeError::System(io::Error::other(error)))?;
    opened(&Opened { address: format!("http://127.0.0.1:{port}/#{token}") });
    let state = Arc::new(Served { guard: Guard::new(port, token), desk, running: Mutex::default() });
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut look = tokio::time::interval(LOOK);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            accepted = accept(other.as_ref()) => accepted,
            _ = look.tick() => {
                if cancel.is_cancelled() {
                    return Ok(());
                }
                continue;
            }
        };
        // A connection that is gone before it is accepted is none; and where the system has no more, some will end.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(LOOK).await;
            continue;
        };
        match Arc::clone(&room).try_acquire_owned() {
            Ok(permit) => {
                let state = Arc::clone(&state);
                tokio::spawn(async move {
                    converse(stream, state).await;
                    drop(permit);
                });
            }
            Err(_) => turn_away(stream),
        }
    }
}

/// The next connection, if there is such a listener.
async fn accept(listener: Option<&TcpListener>) -> io::Result<(TcpStream, std::net::SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

/// Says that there are too many connections, as far as that can be said at once.
fn turn_away(stream: TcpStream) {
    let answer = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let _ = stream.into_std().and_then(|mut stream| stream.write_all(answer));
}

/// What all connections share.
struct Served {
    guard: Guard,
    desk: Sender<Job>,
    /// The gate of the engine that was started last.
    running: Mutex<Option<Arc<Gate>>>,
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, served: Arc<Served>) {
    let respond = |request| {
        let served = Arc::clone(&served);
        async move { Ok::<_, Infallible>(served.respond(request).await) }
    };
    // A connection that breaks off is no reason to complain.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LARGEST_BODY)
        .serve_connection(TokioIo::new(stream), service_fn(respond))
        .await;
}

const JSON: &str = "application/json";

type Reply = Response<Answer>;

/// The body of an answer.
enum Answer {
    /// A text, until it is sent.
    Whole(Option<Bytes>),
    /// What a watched engine shows, line by line.
    Lines(Watched),
}

/// The lines of an engine, which ends when they are not read any more.
struct Watched {
    lines: mpsc::Receiver<String>,
    gate: Arc<Gate>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.gate.go(Pace::Stop);
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Answer::Whole(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Answer::Lines(watched) => {
                watched.lines.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(Bytes::from(line)))))
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answer::Whole(text) => SizeHint::with_exact(text.as_ref().map_or(0, Bytes::len) as u64),
            Answer::Lines(_) => SizeHint::default(),
        }
    }
}

/// An answer with the headers that all answers have.
fn reply(status: StatusCode, kind: &'static str, body: String) -> Reply {
    headed(status, kind, Answer::Whole(Some(Bytes::from(body))))
}

fn headed(status: StatusCode, kind: &'static str, body: Answer) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    let fixed = [
        (CONTENT_TYPE, kind),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}

fn trouble(status: StatusCode, why: &str) -> Reply {
    reply(status, JSON, wire::error(why))
}

fn refused(Refused(why): Refused) -> Reply {
    trouble(StatusCode::FORBIDDEN, why)
}

/// The page. Only its own style and its own script are run: those with a number that no one could have guessed.
fn page() -> Reply {
    let Ok(nonce) = random_digits() else { return trouble(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers") };
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut page = reply(StatusCode::OK, "text/html; charset=utf-8", html::explorer(&nonce));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        page.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    page
}

impl Served {
    async fn respond(&self, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        if let Err(why) = self.guard.admit(&parts) {
            return refused(why);
        }
        let (path, method) = (parts.uri.path(), &parts.method);
        let Some(name) = path.strip_prefix("/api/") else {
            return match (path, method) {
                ("/", &Method::GET) => page(),
                ("/", _) => not_allowed("GET"),
                _ => trouble(StatusCode::NOT_FOUND, "there is nothing here"),
            };
        };
        if method != Method::POST {
            return not_allowed("POST");
        }
        if let Err(why) = self.guard.admit_api(&parts) {
            return refused(why);
        }
        let body = match tokio::time::timeout(PATIENCE, Limited::new(body, LARGEST_BODY).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return trouble(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large");
            }
            Ok(Err(_)) => return trouble(StatusCode::BAD_REQUEST, "the request breaks off"),
            Err(_) => return trouble(StatusCode::REQUEST_TIMEOUT, "the request takes too long to arrive"),
        };
        match Asked::read(name, &body) {
            None => trouble(StatusCode::NOT_FOUND, "there is nothing here"),
            Some(Err(why)) => trouble(StatusCode::BAD_REQUEST, &why),
            Some(Ok(asked)) => self.ask(asked).await,
        }
    }

    /// Answers a request that may be asked.
    async fn ask(&self, asked: Asked) -> Reply {
        match asked {
            Asked::Watch(engine, pace) => self.watch(engine, pace).await,
            Asked::Go(pace) => match self.running().as_ref().filter(|gate| !gate.is_over()) {
                Some(gate) => {
                    gate.go(pace);
                    reply(StatusCode::OK, JSON, wire::done())
                }
                None => trouble(StatusCode::CONFLICT, "no engine runs"),
            },
            asked => match self.put(Question::Plain(asked)).await {
                Ok(answer) => reply(StatusCode::OK, JSON, answer),
                Err(Trouble(status, why)) => trouble(status, &why),
            },
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Option<Arc<Gate>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts an engine, unless one runs, and shows what it does.
    async fn watch(&self, engine: String, pace: Pace) -> Reply {
        let gate = Gate::new(pace);
        {
            let mut running = self.running();
            if running.as_ref().is_some_and(|gate| !gate.is_over()) {
                return trouble(StatusCode::CONFLICT, "an engine runs already, maybe in another tab: stop it first");
            }
            *running = Some(Arc::clone(&gate));
        }
        let (sender, lines) = mpsc::channel(MOST_LINES);
        // From here on the engine ends if nothing comes of this.
        let watched = Watched { lines, gate: Arc::clone(&gate) };
        match self.put(Question::Watch(engine, gate, sender)).await {
            Ok(_) => headed(StatusCode::OK, "application/x-ndjson", Answer::Lines(watched)),
            Err(Trouble(status, why)) => trouble(status, &why),
        }
    }

    /// Asks the thread that knows the program.
    async fn put(&self, question: Question) -> Result<String, Trouble> {
        let (answer, answered) = oneshot::channel();
        let gone = || Trouble(StatusCode::SERVICE_UNAVAILABLE, "the command has ended".to_owned());
        self.desk.send((question, answer)).map_err(|_| gone())?;
        let answered = answered.await.map_err(|_| gone())?;
        answered.map_err(|Unanswered(why)| Trouble(StatusCode::UNPROCESSABLE_ENTITY, why))
    }
}

/// Why there is no answer.
struct Trouble(StatusCode, String);

fn not_allowed(method: &'static str) -> Reply {
    let mut reply = trouble(StatusCode::METHOD_NOT_ALLOWED, "this is not how it is asked");
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    reply
}
