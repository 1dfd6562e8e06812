//! The `WebDriver` protocol, as far as the tests need it: plain JSON over HTTP (W3C `WebDriver`
//! level 2, and Chromium's own commands below `goog`).

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use ureq::Agent;

/// A driver with one session; dropping it ends the session.
pub(crate) struct Driver {
    process: Child,
    agent: Agent,
    session: String,
}

impl Driver {
    pub(crate) fn start() -> Self {
        // It takes a port that is free by IPv4, and ends if another program has it by IPv6.
        let (process, port) = (0..5)
            .find_map(|_| listening())
            .expect("chromedriver names its port");
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_mins(1)))
            .build()
            .into();
        let mut driver = Self {
            process,
            agent,
            session: format!("http://127.0.0.1:{port}/session"),
        };
        let made = driver.send("", &capabilities());
        driver.session = format!("{}/{}", driver.session, made["sessionId"].as_str().unwrap());
        driver
    }

    /// Sends a command of the session and returns the answer.
    pub(crate) fn send(&self, path: &str, body: &Value) -> Value {
        self.try_send(path, body)
            .unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    pub(crate) fn try_send(&self, path: &str, body: &Value) -> Result<Value, String> {
        let url = format!("{}{path}", self.session);
        let mut answer = self
            .agent
            .post(url)
            .send_json(body)
            .map_err(|e| e.to_string())?;
        let answer: Value = answer.body_mut().read_json().map_err(|e| e.to_string())?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].clone()),
        }
    }

    /// Sends a command of Chromium's own protocol.
    pub(crate) fn chromium(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.send("/goog/cdp/execute", &body)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A process that names the port where it listens.
fn listening() -> Option<(Child, u16)> {
    let mut process = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver is installed: cargo xtask test does that");
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let port = lines.map_while(Result::ok).find_map(|line| {
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    });
    if port.is_none() {
        process.wait().unwrap();
    }
    Some((process, port?))
}

/// Chromium without the parts around its pages starts in a fifth of the time. The driver ends the
/// program itself, but not what Debian's script of the same name in `/usr/bin` has started.
fn capabilities() -> Value {
    json!({"capabilities": {"alwaysMatch": {
        "browserName": "chrome-headless-shell",
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        "goog:chromeOptions": {"binary": "/usr/lib/chromium/chromium-headless-shell", "args": [
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--lang=en-US",
        ]},
    }}})
}
