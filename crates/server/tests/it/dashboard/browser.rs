//! Drives a browser that shows the dashboard.

use serde_json::{Value, json};

use crate::support::{
    driver::Driver,
    server::{Server, TOKEN, eventually},
};

/// The Escape key, as `WebDriver` writes it.
pub(super) const ESCAPE: &str = "\u{e00c}";

/// The Enter key, which submits a form.
pub(super) const ENTER: &str = "\u{e007}";

/// A browser for the dashboard of one server.
pub(super) struct Browser<'s> {
    driver: Driver,
    server: &'s Server,
    /// The server's address, without a slash at the end.
    address: String,
}

/// The width and the theme of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) width: u32,
    pub(super) dark: bool,
}

impl<'s> Browser<'s> {
    /// Starts a browser whose pages record their errors.
    pub(super) fn start(server: &'s Server) -> Self {
        Self::start_at(server, server.origin())
    }

    /// Starts a browser that reaches the server at another address.
    /// `SLUGLINE_TEST_LATE_ANSWERS=800` delays each answer by up to that many milliseconds, to
    /// find tests that do not wait for the answers they need.
    pub(super) fn start_at(server: &'s Server, address: &str) -> Self {
        let driver = Driver::start();
        let late = std::env::var_os("SLUGLINE_TEST_LATE_ANSWERS").unwrap_or_default();
        let late: u32 = late
            .to_str()
            .and_then(|late| late.parse().ok())
            .unwrap_or(0);
        let noting = format!("{{ const send = window.fetch; const late = {late}; if (late) window.fetch = async (...given) => {{ await new Promise((go) => setTimeout(go, Math.random() * late)); return send(...given); }}; }}") + "window.faults = [];
            addEventListener('securitypolicyviolation', (event) => faults.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
            addEventListener('error', (event) => faults.push(`error: ${event.message}`));
            addEventListener('unhandledrejection', (event) => faults.push(`rejection: ${event.reason}`));";
        driver.chromium("Page.enable", &json!({}));
        let source = json!({ "source": noting });
        driver.chromium("Page.addScriptToEvaluateOnNewDocument", &source);
        let address = address.to_owned();
        let browser = Self {
            driver,
            server,
            address,
        };
        browser.look(Look {
            width: 1280,
            dark: false,
        });
        browser
    }

    /// Starts a signed-in browser at a view such as `links?q=a`.
    pub(super) fn signed_in(server: &'s Server, view: &str) -> Self {
        let browser = Self::start(server);
        browser.go(&format!("{view}#token={TOKEN}"));
        browser.settle();
        browser
    }

    pub(super) fn look(&self, look: Look) {
        let mobile = look.width < 720;
        let metrics =
            json!({"width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile});
        self.driver
            .chromium("Emulation.setDeviceMetricsOverride", &metrics);
        let scheme = if look.dark { "dark" } else { "light" };
        let media = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]});
        self.driver.chromium("Emulation.setEmulatedMedia", &media);
    }

    pub(super) fn zone(&self, zone: &str) {
        let zone = json!({ "timezoneId": zone });
        self.driver.chromium("Emulation.setTimezoneOverride", &zone);
    }

    /// Adds headers to every later request, as a proxy in front does.
    pub(super) fn send_with(&self, headers: &Value) {
        self.driver.chromium("Network.enable", &json!({}));
        let headers = json!({ "headers": headers });
        self.driver
            .chromium("Network.setExtraHTTPHeaders", &headers);
    }

    /// Opens a view of the dashboard.
    pub(super) fn go(&self, view: &str) {
        let url = format!("{}/_dashboard/{view}", self.address);
        self.driver.send("/url", &json!({ "url": url }));
    }

    pub(super) fn back(&self) {
        self.driver.send("/back", &json!({}));
    }

    /// Waits until no request is pending and the page shows what its last event changed.
    pub(super) fn settle(&self) {
        let script = "const [tell] = arguments; requestAnimationFrame(() => setTimeout(() => tell(document.querySelector('#main')?.getAttribute('aria-busy') === 'false' && !document.querySelector('.bar.on'))))";
        let body = json!({"script": script, "args": []});
        eventually("the page has settled", || {
            // A page that is being left gives no answer.
            self.driver.try_send("/execute/async", &body) == Ok(json!(true))
        });
    }

    /// The result of a script; `arguments[0]` is the given value.
    pub(super) fn run_with(&self, script: &str, argument: &Value) -> Value {
        let body = json!({"script": script, "args": [argument]});
        self.driver.send("/execute/sync", &body)
    }

    pub(super) fn run(&self, script: &str) -> Value {
        self.run_with(script, &Value::Null)
    }

    /// The value that a script passes to its last argument, a callback.
    pub(super) fn run_async(&self, script: &str) -> Value {
        let body = json!({"script": script, "args": []});
        self.driver.send("/execute/async", &body)
    }

    /// Waits until a script returns true.
    pub(super) fn until(&self, what: &str, script: &str) {
        eventually(what, || self.run(script) == true);
    }

    /// Waits for an element.
    pub(super) fn find(&self, css: &str) -> String {
        let mut found = None;
        let body = json!({"using": "css selector", "value": css});
        eventually(css, || {
            let answer = self.driver.try_send("/element", &body).ok();
            found = answer.and_then(|element| {
                Some(element.as_object()?.values().next()?.as_str()?.to_owned())
            });
            found.is_some()
        });
        found.unwrap()
    }

    pub(super) fn has(&self, css: &str) -> bool {
        self.run_with(
            "return document.querySelector(arguments[0]) !== null",
            &json!(css),
        ) == true
    }

    pub(super) fn click(&self, css: &str) {
        self.act_on(css, "click", &json!({}));
    }

    /// Acts on an element, and retries until the page allows it: another element may cover it,
    /// the page may redraw it, or it may wait for an answer.
    fn act_on(&self, css: &str, action: &str, body: &Value) {
        let mut told = String::new();
        for _ in 0..400 {
            let path = format!("/element/{}/{action}", self.find(css));
            match self.driver.try_send(&path, body) {
                Ok(_) => return,
                Err(error) => told = error,
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{action} on {css} {body}: {told}");
    }

    /// Clicks the element that has this text.
    pub(super) fn click_text(&self, css: &str, text: &str) {
        let script = "const found = [...document.querySelectorAll(arguments[0][0])].find((one) => one.textContent.trim() === arguments[0][1]); found?.click(); return found !== undefined";
        eventually(&format!("a click on {text:?}"), || {
            self.run_with(script, &json!([css, text])) == true
        });
    }

    /// Types as a keyboard does.
    pub(super) fn type_into(&self, css: &str, text: &str) {
        self.act_on(css, "value", &json!({ "text": text }));
    }

    /// Replaces the content of a field.
    pub(super) fn fill(&self, css: &str, text: &str) {
        self.act_on(css, "clear", &json!({}));
        self.type_into(css, text);
    }

    /// Presses a key where the focus is.
    pub(super) fn tap(&self, key: &str) {
        let press = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        let keys = json!({"type": "key", "id": "keys", "actions": press});
        self.driver.send("/actions", &json!({ "actions": [keys] }));
    }

    /// Presses keys outside of any field.
    pub(super) fn press(&self, keys: &str) {
        self.run("document.activeElement?.blur()");
        self.type_into("body", keys);
    }

    /// Chooses the option with this value, as a person would.
    pub(super) fn choose(&self, css: &str, value: &str) {
        self.find(css);
        let script = "const list = document.querySelector(arguments[0][0]); list.value = arguments[0][1]; list.dispatchEvent(new Event('change', { bubbles: true })); return list.value";
        let chosen = self.run_with(script, &json!([css, value]));
        assert_eq!(chosen, value, "{css} has no such option");
    }

    /// The visible text of an element.
    pub(super) fn text(&self, css: &str) -> String {
        self.find(css);
        let script = "return document.querySelector(arguments[0]).innerText";
        self.run_with(script, &json!(css))
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(super) fn texts(&self, css: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)";
        let texts = self.run_with(script, &json!(css));
        texts
            .as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    }

    /// The path and query of the current address.
    pub(super) fn address(&self) -> String {
        let address = self.run("return location.pathname + location.search + location.hash");
        address.as_str().unwrap().to_owned()
    }

    pub(super) fn screenshot(&self) -> String {
        let taken = self
            .driver
            .chromium("Page.captureScreenshot", &json!({"format": "png"}));
        taken["data"].as_str().unwrap().to_owned()
    }

    /// Fails if a page reported an error, broke its policy, or sent a request to another host.
    /// `expected` lists words of errors that the test causes on purpose.
    pub(super) fn finish(self, expected: &[&str]) {
        let expects = |line: &str| expected.iter().any(|word| line.contains(word));
        let faults = self.run("return window.faults ?? []");
        assert_eq!(faults, json!([]), "the page noted faults");
        for entry in self.log("browser") {
            let (level, line) = (
                entry["level"].as_str().unwrap(),
                entry["message"].to_string(),
            );
            let is_bad = level == "SEVERE" || level == "WARNING";
            assert!(!is_bad || expects(&line), "console: {line}");
        }
        for entry in self.log("performance") {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
            if event["message"]["method"] != "Network.requestWillBeSent" {
                continue;
            }
            let url = event["message"]["params"]["request"]["url"]
                .as_str()
                .unwrap();
            let ours = [
                self.server.origin(),
                &self.address,
                "data:",
                "blob:",
                "about:",
            ];
            assert!(
                ours.iter().any(|start| url.starts_with(start)),
                "asked a stranger: {url}"
            );
        }
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.driver.send("/se/log", &json!({ "type": kind }));
        log.as_array().unwrap().clone()
    }
}
