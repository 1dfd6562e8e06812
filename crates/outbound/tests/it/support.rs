//! Listeners that count, answers by script, a resolver by script.

use slugline_testkit::with;
use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use slugline_outbound::{AddressPolicy, Client, Error, Policy, Request, Resolve};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// Stands for a public address: the only one that these tests can serve.
pub(crate) const ALLOWED: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A server on [`ALLOWED`] that counts its connections.
pub(crate) struct Listener {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    bodies: Arc<Mutex<Vec<String>>>,
    _serving: JoinSet<()>,
}

/// The server's behaviour after it has read a request.
#[derive(Clone)]
pub(crate) enum Script {
    /// Sends this and closes.
    Say(String),
    /// Sends the first text, then the second one repeatedly, with pauses.
    Repeat(String, String, Duration),
    /// Sends the next of these to each connection; repeats the last one.
    InTurn(Vec<String>),
}

impl Script {
    pub(crate) fn ok(body: &str) -> Self {
        let length = body.len();
        Self::Say(format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    }

    pub(crate) fn redirect(location: &str) -> Self {
        Self::Say(format!(
            "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
        ))
    }
}

impl Listener {
    pub(crate) async fn start(script: Script) -> Self {
        Self::start_with(|_| script).await
    }

    /// For a script that names the listener's own port.
    pub(crate) async fn start_with(script: impl FnOnce(u16) -> Script) -> Self {
        let listener = TcpListener::bind((ALLOWED, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = script(port);
        let (connections, requests, bodies) = (
            Arc::<AtomicUsize>::default(),
            Arc::<Mutex<Vec<_>>>::default(),
            Arc::<Mutex<Vec<_>>>::default(),
        );
        let mut serving = JoinSet::new();
        let counter = Arc::clone(&connections);
        let log = (Arc::clone(&requests), Arc::clone(&bodies));
        serving.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let turn = counter.fetch_add(1, Ordering::Relaxed);
                let script = match &script {
                    Script::InTurn(answers) => {
                        let answer = answers.get(turn).or(answers.last());
                        Script::Say(answer.cloned().unwrap_or_default())
                    }
                    Script::Say(_) | Script::Repeat(..) => script.clone(),
                };
                open.spawn(talk(stream, script, log.clone()));
            }
        });
        Self {
            port,
            connections,
            requests,
            bodies,
            _serving: serving,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.at("127.0.0.1")
    }

    /// The URL under this host.
    pub(crate) fn at(&self, host: &str) -> String {
        format!("http://{host}:{}/", self.port)
    }

    /// The status that it gives to a client that may reach every name.
    pub(crate) async fn status(&self) -> Result<u16, Error> {
        let client = client(&everything_allowed());
        client.status(get(&self.url())).await
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The bodies of the requests so far that announced a length.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

type Log = (Arc<Mutex<Vec<String>>>, Arc<Mutex<Vec<String>>>);

async fn talk(mut stream: TcpStream, script: Script, (heads, bodies): Log) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.split_once("content-length: ");
    let length = length.and_then(|(_, rest)| rest.lines().next()?.parse().ok());
    heads.lock().unwrap().push(head);
    if let Some(length) = length {
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let body = String::from_utf8(body).unwrap();
        bodies.lock().unwrap().push(body);
    }
    match script {
        Script::InTurn(_) => unreachable!("each connection has its turn"),
        Script::Say(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
        }
        Script::Repeat(first, then, pause) => {
            let mut next = first;
            while stream.write_all(next.as_bytes()).await.is_ok() {
                next.clone_from(&then);
                tokio::time::sleep(pause).await;
            }
        }
    }
}

/// Answers look-ups from a list, one entry each; repeats the last one.
#[derive(Debug)]
pub(crate) struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    lookups: AtomicUsize,
}

impl Names {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |one: &&[&str]| one.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(parse).collect()),
            lookups: AtomicUsize::new(0),
        })
    }

    pub(crate) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Resolve for Names {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        let next = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        Ok(next.unwrap_or_default())
    }
}

/// A client that may also reach [`ALLOWED`].
pub(crate) fn client(names: &Arc<Names>) -> Client {
    client_within("127.0.0.1/32", names)
}

/// A client that may also reach this network.
pub(crate) fn client_within(network: &str, names: &Arc<Names>) -> Client {
    let allowed = AddressPolicy::public_and(vec![network.parse().unwrap()]);
    let policy = with(Policy::default(), |it| it.addresses = allowed);
    Client::with_resolver(policy, names.clone())
}

/// A client with nothing but the defaults.
pub(crate) fn strict_client(names: &Arc<Names>) -> Client {
    Client::with_resolver(Policy::default(), names.clone())
}

/// Resolves every name to [`ALLOWED`].
pub(crate) fn everything_allowed() -> Arc<Names> {
    Names::new(&[&["127.0.0.1"]])
}

pub(crate) fn get(url: &str) -> Request {
    Request::get(url.parse().unwrap(), Duration::from_secs(20))
}
