//! A reverse proxy in front of the server: it strips a path, and can fail and serve an older build.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crate::support::server::Server;

/// The path that the proxy adds, and removes again.
pub(super) const PREFIX: &str = "/go";

/// The folder of the dashboard's files in an older build, as long as a real one.
const OLD_FOLDER: &str = "a-0000000000000000";

/// Forwards requests below the prefix, and answers 404 to all others.
pub(super) struct Front {
    origin: String,
    state: Arc<State>,
}

struct State {
    server: String,
    folder: String,
    down: AtomicBool,
    old: AtomicBool,
}

impl Front {
    pub(super) fn of(server: &Server) -> Self {
        let page = server.visit("/_dashboard/").text;
        let folder = page.split("./a-").nth(1).unwrap().split('/').next();
        let state = Arc::new(State {
            server: server.origin().trim_start_matches("http://").to_owned(),
            folder: format!("a-{}", folder.unwrap()),
            down: AtomicBool::new(false),
            old: AtomicBool::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let front = Self {
            origin,
            state: Arc::clone(&state),
        };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&state);
                thread::spawn(move || state.pass_on(client));
            }
        });
        front
    }

    /// The address below which the server is, without a slash at the end.
    pub(super) fn address(&self) -> String {
        format!("{}{PREFIX}", self.origin)
    }

    /// Answers nothing, or answers again.
    pub(super) fn be_down(&self, down: bool) {
        self.state.down.store(down, Ordering::SeqCst);
    }

    /// Serves the files of the page as an older build does; an upgrade ends that.
    pub(super) fn serve_old_build(&self, old: bool) {
        self.state.old.store(old, Ordering::SeqCst);
    }
}

impl State {
    fn pass_on(&self, mut client: TcpStream) -> Option<()> {
        let mut request = Vec::new();
        let mut piece = [0; 4_096];
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = client.read(&mut piece).ok().filter(|length| *length > 0)?;
            request.extend_from_slice(&piece[..length]);
        }
        if self.down.load(Ordering::SeqCst) {
            return client.shutdown(Shutdown::Both).ok();
        }
        let text = String::from_utf8(request).ok()?;
        if !text.split(' ').nth(1)?.starts_with(&format!("{PREFIX}/")) {
            let absent =
                b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            return client.write_all(absent).ok();
        }
        let old = self.old.load(Ordering::SeqCst);
        let text = text.replacen(&format!(" {PREFIX}/"), " /", 1);
        let mut text = text.replacen("Connection: keep-alive", "Connection: close", 1);
        if old {
            text = text.replacen("Accept-Encoding:", "X-Accepted:", 1);
            text = text.replace(OLD_FOLDER, &self.folder);
        }
        let mut server = TcpStream::connect(&self.server).ok()?;
        server.write_all(text.as_bytes()).ok()?;
        let (mut body, mut up) = (client.try_clone().ok()?, server.try_clone().ok()?);
        thread::spawn(move || io::copy(&mut body, &mut up));
        if old && text.contains("\r\nAccept: text/html") {
            let mut page = String::new();
            server.read_to_string(&mut page).ok()?;
            let page = page.replace(&self.folder, OLD_FOLDER);
            client.write_all(page.as_bytes()).ok()?;
        } else {
            io::copy(&mut server, &mut client).ok()?;
        }
        client.shutdown(Shutdown::Both).ok()
    }
}
