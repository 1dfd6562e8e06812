//! Drives a browser that shows the dashboard.

use serde_json::{Value, json};

use crate::support::{
    driver::Driver,
    server::{Server, TOKEN, eventually},
};

/// Keys, as `WebDriver` writes them.
pub(super) const TAB: &str = "\u{e004}";
pub(super) const ENTER: &str = "\u{e007}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const LEFT: &str = "\u{e012}";
const CONTROL: &str = "\u{e009}";
const RELEASE: &str = "\u{e000}";
pub(super) const DELETE: &str = "\u{e017}";

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
    pub(super) name: &'static str,
    width: u32,
    dark: bool,
}

pub(super) const LOOKS: [Look; 4] = [
    Look::new("light", 1280, false),
    Look::new("dark", 1280, true),
    PHONE,
    Look::new("phone-dark", 360, true),
];

pub(super) const PHONE: Look = Look::new("phone-light", 360, false);

impl Look {
    const fn new(name: &'static str, width: u32, dark: bool) -> Self {
        Self { name, width, dark }
    }
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
        browser.look(LOOKS[0]);
        browser
    }

    /// Starts a signed-in browser at a view such as `links?q=a`.
    pub(super) fn signed_in(server: &'s Server, view: &str) -> Self {
        let browser = Self::start(server);
        browser.sign_in(view, TOKEN);
        browser.settle();
        browser
    }

    /// Opens a view by an address that carries a token.
    pub(super) fn sign_in(&self, view: &str, token: &str) {
        self.go(&format!("{view}#token={token}"));
    }

    /// Follows an address in the open page that differs in its fragment alone.
    pub(super) fn follow_fragment(&self, fragment: &str) {
        self.run_with("location.hash = arguments[0]", &json!(fragment));
    }

    /// Makes the window as wide as this.
    pub(super) fn resize(&self, width: u32) {
        let mobile = width < 720;
        let metrics =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile});
        self.driver
            .chromium("Emulation.setDeviceMetricsOverride", &metrics);
    }

    pub(super) fn look(&self, look: Look) {
        self.resize(look.width);
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

    /// Chooses the language of the next page.
    pub(super) fn language(&self, tag: &str) {
        let script = "localStorage.setItem('slugline.language', arguments[0])";
        self.run_with(script, &json!(tag));
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

    /// Waits until the page shows something, and has settled.
    pub(super) fn is_filled(&self) {
        let script = "return document.querySelector('main')?.innerText.length > 20";
        self.until("the page shows something", script);
        self.settle();
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

    /// The same, with a value before the callback.
    pub(super) fn run_async_with(&self, script: &str, argument: &Value) -> Value {
        let body = json!({"script": script, "args": [argument]});
        self.driver.send("/execute/async", &body)
    }

    /// Waits until a script returns true.
    pub(super) fn until(&self, what: &str, script: &str) {
        self.until_with(what, script, &Value::Null);
    }

    fn until_with(&self, what: &str, script: &str, argument: &Value) {
        eventually(what, || self.run_with(script, argument) == true);
    }

    /// Waits until as many elements match.
    pub(super) fn counts(&self, css: &str, number: usize) {
        let script = "return document.querySelectorAll(arguments[0][0]).length === arguments[0][1]";
        self.until_with(&format!("{number} of {css}"), script, &json!([css, number]));
    }

    /// Waits until the query of the address contains this part.
    pub(super) fn is_at(&self, query: &str) {
        let script = format!("return location.search.includes('{query}')");
        self.until(query, &script);
    }

    /// Waits until no element matches.
    pub(super) fn gone(&self, css: &str) {
        self.counts(css, 0);
    }

    /// Waits until an element contains these words.
    pub(super) fn says(&self, css: &str, words: &str) {
        self.when(css, "textContent.includes(wanted)", words);
    }

    /// Waits until an element has this text and no other.
    pub(super) fn reads(&self, css: &str, text: &str) {
        self.when(css, "textContent === wanted", text);
    }

    /// Waits until a field has this value.
    pub(super) fn holds(&self, css: &str, value: &str) {
        self.when(css, "value === wanted", value);
    }

    /// Waits until a part of an element is as `wanted`.
    fn when(&self, css: &str, part: &str, wanted: &str) {
        let script = format!(
            "const [css, wanted] = arguments[0]; return document.querySelector(css)?.{part}"
        );
        let what = format!("{wanted:?} in {css}");
        self.until_with(&what, &script, &json!([css, wanted]));
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

    /// Replaces the content of a field: types while all of it is selected. The driver's own
    /// command to clear a field tells the page of nothing, so the page may bring the text back.
    pub(super) fn fill(&self, css: &str, text: &str) {
        self.type_into(css, &format!("{CONTROL}a{RELEASE}{text}"));
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

    /// Puts a value into a field at once: a time has no text to type.
    pub(super) fn set(&self, css: &str, value: &str) {
        self.find(css);
        let script = "const [css, value] = arguments[0]; const field = document.querySelector(css); field.value = value; field.dispatchEvent(new Event('input', { bubbles: true }))";
        self.run_with(script, &json!([css, value]));
    }

    /// A member of an element, such as `value`.
    pub(super) fn member(&self, css: &str, name: &str) -> Value {
        self.find(css);
        let script = "const [css, name] = arguments[0]; return document.querySelector(css)[name]";
        self.run_with(script, &json!([css, name]))
    }

    pub(super) fn is_off(&self, css: &str) -> bool {
        self.member(css, "disabled") == true
    }

    /// The visible text of an element.
    pub(super) fn text(&self, css: &str) -> String {
        self.member(css, "innerText").as_str().unwrap().to_owned()
    }

    pub(super) fn texts(&self, css: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)";
        strings(&self.run_with(script, &json!(css)))
    }

    /// The addresses that contain this part, among those that the page has requested.
    pub(super) fn requested(&self, part: &str) -> Vec<String> {
        let script = "return performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes(arguments[0]))";
        strings(&self.run_with(script, &json!(part)))
    }

    /// Catches files that the page would save.
    pub(super) fn catch_files(&self) {
        self.run("window.caught = []; window.names = []; URL.createObjectURL = (blob) => { caught.push(blob); return 'blob:x'; }; HTMLAnchorElement.prototype.click = function () { names.push(this.download); }");
    }

    /// The names of caught files, once there are as many.
    pub(super) fn caught(&self, files: usize) -> Vec<String> {
        let script = format!("return names.length === {files}");
        self.until(&format!("{files} files"), &script);
        strings(&self.run("return names"))
    }

    /// The content of the first caught file.
    pub(super) fn text_of_file(&self) -> String {
        let text = self.run_async("caught[0].text().then(arguments[0])");
        text.as_str().unwrap().to_owned()
    }

    pub(super) fn scroll_down(&self) {
        self.run("scrollTo(0, document.body.scrollHeight)");
    }

    /// Scrolls until an element is at the top.
    pub(super) fn scroll_to(&self, css: &str) {
        self.find(css);
        let script = "document.querySelector(arguments[0]).scrollIntoView()";
        self.run_with(script, &json!(css));
    }

    pub(super) fn is_wider_than_its_window(&self) -> bool {
        self.run("return document.documentElement.scrollWidth > innerWidth") != false
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

impl Drop for Browser<'_> {
    /// Says where the page was when its test failed.
    #[expect(clippy::print_stderr, reason = "the report of a failed test has it")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let script = "for (const list of document.querySelectorAll('select')) list.remove(); return `${location.href}: ${document.body.innerText}`";
            let body = json!({"script": script, "args": []});
            let page = self.driver.try_send("/execute/sync", &body);
            eprintln!("the page was {page:?}");
        }
    }
}

/// The texts of a list.
pub(super) fn strings(list: &Value) -> Vec<String> {
    let texts = list.as_array().unwrap().iter();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}
