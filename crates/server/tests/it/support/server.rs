//! Runs the binary with a data folder of its own.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader, Lines, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{LazyLock, mpsc},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};
use ureq::{
    Agent, Body, RequestExt,
    http::{Request, Response},
};

use super::own_database::postgres_url;

/// The timeout only keeps a server that hangs at its start from hanging the test.
const START_TIMEOUT: Duration = Duration::from_mins(5);

/// The site token of servers whose settings give no other.
pub(crate) const TOKEN: &str = "correct-horse-battery";

pub(crate) struct Server {
    process: Child,
    origin: String,
    greeting: String,
    agent: Agent,
    folder: TempDir,
}

/// A server with default settings, for tests that change nothing. The shell ends it, and removes
/// its folder, as soon as the program of the tests has ended.
pub(crate) fn shared() -> &'static Server {
    static SHARED: LazyLock<Server> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let binary = command(folder.path());
        let script = "\"$0\" & read -r end; kill $!; wait; rm -rf \"$SLUGLINE_DATA_DIR\"";
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]).arg(binary.get_program());
        for (name, value) in binary.get_envs() {
            shell.env(name, value.unwrap());
        }
        shell.stdin(Stdio::piped());
        Server::start_by(shell, folder)
    });
    &SHARED
}

/// A response with its body read.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The method and the address of the request.
    asked: String,
    pub(crate) status: u16,
    pub(crate) response: Response<()>,
    pub(crate) text: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(settings: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), settings)
    }

    /// Starts it with its own file, or with the "postgres" of the tests.
    pub(crate) fn start_on(database: &str) -> Self {
        match database {
            "postgres" => Self::start_with(&[("SLUGLINE_DATABASE_URL", &postgres_url())]),
            _ => Self::start(),
        }
    }

    pub(crate) fn start_in(folder: TempDir, settings: &[(&str, &str)]) -> Self {
        let mut command = command(folder.path());
        command.envs(settings.iter().copied());
        Self::start_by(command, folder)
    }

    /// Starts the server with a command that becomes the binary with this data folder.
    pub(crate) fn start_by(mut command: Command, folder: TempDir) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(greeting_in(lines)));
        let Ok(Some(greeting)) = told.recv_timeout(START_TIMEOUT) else {
            let _ = process.kill();
            let ended = process.wait().unwrap();
            panic!("the server did not greet within {START_TIMEOUT:?}: {ended}");
        };
        let origin = greeting
            .lines()
            .next()
            .and_then(|line| line.rsplit(' ').next());
        let origin = origin.unwrap().to_owned();
        Self::at(origin, greeting, process, folder)
    }

    /// Starts the server with its log output in a file.
    pub(crate) fn start_logged(
        folder: TempDir,
        settings: &[(&str, &str)],
    ) -> (Self, NamedTempFile) {
        let log = NamedTempFile::new().unwrap();
        let mut command = command(folder.path());
        command
            .envs(settings.iter().copied())
            .stderr(log.reopen().unwrap());
        (Self::start_by(command, folder), log)
    }

    /// The same with a log of JSON lines in a file, and nothing on standard output. The log has
    /// the address.
    pub(crate) fn start_logging_json(mut command: Command, folder: TempDir, log: &Path) -> Self {
        command
            .env("SLUGLINE_LOG_FORMAT", "json")
            .stdout(Stdio::piped())
            .stderr(fs::File::create(log).unwrap());
        let process = command.spawn().unwrap();
        let mut origin = None;
        eventually("it listens", || {
            let lines = fs::read_to_string(log).unwrap();
            // The last line may be half written.
            let events = lines
                .lines()
                .map_while(|line| serde_json::from_str(line).ok());
            let mut said = events.map(|event: Value| event["fields"].clone());
            let listening = said.find(|fields| fields["message"] == "listening");
            origin = listening.map(|fields| fields["address"].as_str().unwrap().to_owned());
            origin.is_some()
        });
        let origin = format!("http://{}", origin.unwrap());
        Self::at(origin, String::new(), process, folder)
    }

    fn at(origin: String, greeting: String, process: Child, folder: TempDir) -> Self {
        Self {
            process,
            origin,
            greeting,
            agent: agent(),
            folder,
        }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The process id.
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The memory that it holds, as the kernel tells in `/proc`.
    pub(crate) fn resident_bytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process_id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: u64 = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .and_then(|number| number.parse().ok())
            .unwrap();
        kib << 10
    }

    /// The greeting it printed after its start.
    pub(crate) fn greeting(&self) -> &str {
        &self.greeting
    }

    /// Its data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A request to this path, for the caller to complete and send.
    pub(crate) fn request(&self, method: &str, path: &str) -> Call<'_> {
        Call::of(&self.agent, method, format!("{}{path}", self.origin))
    }

    /// A request with the site token.
    pub(crate) fn api(&self, method: &str, path: &str) -> Call<'_> {
        self.by(TOKEN, method, path)
    }

    /// A request with this token.
    pub(crate) fn by(&self, token: &str, method: &str, path: &str) -> Call<'_> {
        let authorization = format!("Bearer {token}");
        self.request(method, path)
            .header("authorization", &authorization)
    }

    /// The answer to a request without a body, with the site token.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.api("GET", path).send()
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.api("DELETE", path).send()
    }

    /// The answer to a request with JSON, with the site token.
    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.api(method, path).json(body).send()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, body)
    }

    /// The stored link.
    #[track_caller]
    pub(crate) fn link(&self, slug: &str) -> Value {
        let path = format!("/api/link/query?slug={slug}");
        self.get(&path).is(200).json()
    }

    #[track_caller]
    pub(crate) fn delete_link(&self, slug: &str) {
        let link = json!({"slug": slug});
        self.post("/api/link/delete", &link).is(204);
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.origin.trim_start_matches("http://")).unwrap()
    }

    /// Sends a request with the site token and reads no answer.
    pub(crate) fn begin(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let request = request(method, path, headers, body);
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Limits the size of its files from now on.
    pub(crate) fn limit_files(&self, bytes: &str) {
        let mut limit = Command::new("prlimit");
        limit.args([
            "--pid",
            &self.process_id().to_string(),
            &format!("--fsize={bytes}:"),
        ]);
        assert!(limit.status().unwrap().success());
    }

    /// The answer to a visitor.
    pub(crate) fn visit(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    /// The answer to a visitor who sends these headers.
    pub(crate) fn visit_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.request("GET", path).headers(headers).send()
    }

    /// The answer to a visitor who sends a form.
    pub(crate) fn submit(&self, path: &str, form: &str) -> Answer {
        let kind = "application/x-www-form-urlencoded";
        let call = self.request("POST", path).header("content-type", kind);
        call.body(form).send()
    }

    /// Checks the destination of a visitor.
    #[track_caller]
    pub(crate) fn leads(&self, path: &str, to: &str) {
        assert_eq!(self.visit(path).header("location"), to, "{path}");
    }

    /// Creates a link and returns the whole answer.
    pub(crate) fn create(&self, link: &Value) -> Value {
        let made = self.api("POST", "/api/link/create").json(link).send();
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()
    }

    /// Every link, by slug.
    pub(crate) fn links(&self) -> BTreeMap<String, Value> {
        let mut links = BTreeMap::new();
        let mut cursor = String::new();
        loop {
            // Some links have the maximum size.
            let path = format!("/api/link/list?limit=100&status=all&sort=az&cursor={cursor}");
            let answer = self.api("GET", &path).send();
            assert_eq!(answer.status, 200, "{}", answer.text);
            let page = answer.json();
            for link in page["links"].as_array().unwrap() {
                let slug = link["slug"].as_str().unwrap().to_owned();
                assert!(
                    links.insert(slug, link.clone()).is_none(),
                    "doubled: {link}"
                );
            }
            match page["cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => return links,
            }
        }
    }

    /// Imports a link that expired in 1970: the API creates no expired links, and waiting for
    /// an expiry would depend on the clock.
    pub(crate) fn import_expired(&self, slug: &str) {
        let link = json!({"url": "https://example.com/", "slug": slug, "expiration": 5});
        let links = json!({"version": "1.0", "links": [link]});
        let imported = self.api("POST", "/api/link/import").json(&links).send();
        assert_eq!(imported.json()["success"], 1, "{}", imported.text);
    }

    /// The counters for a query, once they show this many visits.
    pub(crate) fn counters_with(&self, query: &str, visits: u64) -> Value {
        let mut answer = Value::Null;
        eventually(&format!("{visits} visits"), || {
            answer = self
                .api("GET", &format!("/api/stats/counters?{query}"))
                .send()
                .json();
            answer["data"][0]["visits"] == visits
        });
        answer
    }

    /// Kills the service and returns its standard output, if it did not greet there.
    pub(crate) fn killed_and_read(mut self) -> String {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let mut output = String::new();
        let mut stdout = self.process.stdout.take().unwrap();
        stdout.read_to_string(&mut output).unwrap();
        output
    }

    /// Asks the server to stop, with TERM as a service manager or INT as Ctrl-C, and waits for
    /// its end.
    pub(crate) fn stop(mut self, signal: &str) -> (ExitStatus, TempDir) {
        let process = self.process.id().to_string();
        let sent = Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(process)
            .status();
        assert!(sent.unwrap().success());
        let status = self.process.wait().unwrap();
        (status, self.take_folder())
    }

    /// Kills the server.
    pub(crate) fn kill(mut self) -> TempDir {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.take_folder()
    }

    fn take_folder(&mut self) -> TempDir {
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client that follows no redirect.
pub(crate) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(Duration::from_mins(2)))
        // The service closes a connection after five seconds without a request; the client
        // must not send the next request at that moment.
        .max_idle_age(Duration::from_secs(2))
        .build()
        .into()
}

/// A request under construction.
pub(crate) struct Call<'s> {
    agent: &'s Agent,
    builder: ureq::http::request::Builder,
    body: String,
}

impl<'s> Call<'s> {
    pub(crate) fn of(agent: &'s Agent, method: &str, url: String) -> Self {
        let builder = Request::builder().method(method).uri(url);
        Self {
            agent,
            builder,
            body: String::new(),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    pub(crate) fn headers(self, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter();
        headers.fold(self, |call, (name, value)| call.header(name, value))
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(&body.to_string())
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(crate) fn send(self) -> Answer {
        self.try_send().unwrap()
    }

    /// Fails without an answer, for example if the service dies meanwhile.
    pub(crate) fn try_send(self) -> Result<Answer, ureq::Error> {
        let request = self.builder.body(self.body).unwrap();
        let asked = format!("{} {}", request.method(), request.uri());
        let response: Response<Body> = request
            .with_agent(self.agent)
            .configure()
            .allow_non_standard_methods(true)
            .run()?;
        let (parts, mut body) = response.into_parts();
        let text = body.read_to_string()?;
        Ok(Answer {
            asked,
            status: parts.status.as_u16(),
            response: Response::from_parts(parts, ()),
            text,
        })
    }
}

impl Answer {
    /// The same answer, which must have this status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self
    }

    /// The same answer, which must refuse with this status and code.
    #[track_caller]
    pub(crate) fn refuses(self, status: u16, code: &str) -> Self {
        let answer = self.is(status);
        assert_eq!(answer.json()["code"], code, "{}", answer.text);
        answer
    }

    /// The answer, which must hold these words.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.text.contains(words), "{words:?} in {}", self.text);
        self
    }

    /// The paths of the faults of the input, the parts of each joined by dots.
    #[track_caller]
    pub(crate) fn faults(&self) -> Vec<String> {
        let body = self.json();
        let issues = body["data"]["issues"]
            .as_array()
            .expect("the answer names faults");
        let paths = issues.iter().map(|issue| {
            let parts = issue["path"].as_array().unwrap().iter();
            parts
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(".")
        });
        paths.collect()
    }

    /// The path of the first of them.
    #[track_caller]
    pub(crate) fn fault(&self) -> String {
        self.faults().swap_remove(0)
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.response
            .headers()
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

/// The bytes of a request with the site token.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: sl.example\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

/// The binary, with only `PATH` from this environment. `SLUGLINE_TEST_BINARY` names another
/// binary than the one just built.
pub(crate) fn command(data_dir: &Path) -> Command {
    let built = || env!("CARGO_BIN_EXE_slugline").into();
    let mut command = Command::new(env::var_os("SLUGLINE_TEST_BINARY").unwrap_or_else(built));
    command
        .env_clear()
        .env("SLUGLINE_LISTEN", "127.0.0.1:0")
        .env("SLUGLINE_DATA_DIR", data_dir)
        .env("SLUGLINE_SITE_TOKEN", TOKEN)
        .stdin(Stdio::null());
    command
}

/// The same command after a shell has run `preparation`.
pub(crate) fn under_sh(preparation: &str, command: &Command) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &format!("{preparation}; exec \"$0\" \"$@\"")])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null());
    shell
}

/// Runs the binary, which must exit by itself.
pub(crate) fn refusal(settings: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    command(folder.path())
        .envs(settings.iter().copied())
        .output()
        .unwrap()
}

/// A command's exit code, standard output and standard error.
pub(crate) fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// Checks that a text has each of these parts.
#[track_caller]
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// The lines up to the last one of the greeting; `None` if they end earlier.
fn greeting_in(lines: Lines<impl BufRead>) -> Option<String> {
    let mut greeting = String::new();
    for line in lines {
        greeting.extend([line.ok()?.as_str(), "\n"]);
        if greeting.contains("API reference") {
            return Some(greeting);
        }
    }
    None
}

/// Starts a command and kills it as soon as the moment comes. Returns false if it ended before.
pub(crate) fn killed_when(command: &mut Command, mut comes: impl FnMut() -> bool) -> bool {
    let mut process = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_mins(5);
    while process.try_wait().unwrap().is_none() && !comes() {
        assert!(Instant::now() < deadline, "the moment to kill never came");
        // Some moments last only a few milliseconds.
        std::thread::sleep(Duration::from_micros(200));
    }
    process.kill().unwrap();
    process.wait().unwrap().code().is_none()
}

/// Polls until the condition holds. The deadline only keeps a failure from hanging: machines
/// that run tests may have many other things to do.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(5);
    while !holds() {
        assert!(Instant::now() < deadline, "never came to pass: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The pause of a client that asks for as long as a test lasts. It leaves some hundred requests a
/// second, and the processors for what the test is about.
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}
