//! A TCP relay to a server, which a test can cut or silence.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use url::Url;

/// Forwards connections to a server, until it is dropped.
pub(crate) struct Relay {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    to: String,
    silent: AtomicBool,
    /// Counts the calls that strand connections.
    stranded: AtomicU64,
    ended: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Relay {
    pub(crate) fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Self {
            address,
            state: Arc::new(State {
                to: server.to_owned(),
                silent: AtomicBool::new(false),
                stranded: AtomicU64::new(0),
                ended: AtomicBool::new(false),
                open: Mutex::default(),
            }),
        };
        relay.listen(listener);
        relay
    }

    /// A relay to the server of a database, and the address of the database behind it.
    pub(crate) fn before(database: &Url) -> (Self, Url) {
        let port = database.port().unwrap_or(5432);
        let relay = Self::to(&format!("{}:{port}", database.host_str().unwrap()));
        let mut url = database.clone();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(relay.address.port())).unwrap();
        (relay, url)
    }

    /// Cuts every connection and accepts no new one.
    pub(crate) fn cut(&self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // The listener reads the flag only after it accepts a connection.
        let _ = TcpStream::connect(self.address);
        while TcpStream::connect(self.address).is_ok() {
            thread::sleep(Duration::from_millis(10));
        }
        self.cut_sessions();
    }

    /// Cuts every connection, and accepts new ones.
    pub(crate) fn cut_sessions(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Accepts connections again.
    pub(crate) fn mend(&self) {
        self.state.ended.store(false, Ordering::SeqCst);
        self.listen(TcpListener::bind(self.address).unwrap());
    }

    /// Stops or resumes forwarding.
    pub(crate) fn be_silent(&self, silent: bool) {
        self.state.silent.store(silent, Ordering::SeqCst);
    }

    /// Stops forwarding on the open connections; new ones work. A replaced machine, or a
    /// firewall that forgot its connections, behaves like this.
    pub(crate) fn strand_sessions(&self) {
        self.state.stranded.fetch_add(1, Ordering::SeqCst);
        // The connections stay open until the relay is dropped.
    }

    fn listen(&self, listener: TcpListener) {
        let state = Arc::clone(&self.state);
        thread::spawn(move || {
            for near in listener.incoming() {
                if state.ended.load(Ordering::SeqCst) {
                    break;
                }
                let (near, far) = (near.unwrap(), TcpStream::connect(&state.to).unwrap());
                let copy = |stream: &TcpStream| stream.try_clone().unwrap();
                state.open.lock().unwrap().extend([copy(&near), copy(&far)]);
                let (back, forth) = ((copy(&far), copy(&near)), (near, far));
                for (from, to) in [back, forth] {
                    let state = Arc::clone(&state);
                    thread::spawn(move || pass_on(&state, from, to));
                }
            }
        });
    }
}

fn pass_on(state: &State, mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 8192];
    let stranded = state.stranded.load(Ordering::SeqCst);
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while state.silent.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        while state.stranded.load(Ordering::SeqCst) != stranded {
            if state.ended.load(Ordering::SeqCst) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.be_silent(false);
        if !self.state.ended.load(Ordering::SeqCst) {
            self.cut();
        }
    }
}
