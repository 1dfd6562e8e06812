//! Translates `uap-core`'s names to those of `ua-parser-js`, where the two
//! differ for something common.

/// The name of a browser.
pub(super) fn browser(family: &str) -> &str {
    match family {
        "Chrome Mobile" | "Chrome Mobile iOS" => "Mobile Chrome",
        "Chrome Mobile WebView" => "Chrome WebView",
        "HeadlessChrome" => "Chrome Headless",
        "Firefox Mobile" | "Firefox iOS" => "Mobile Firefox",
        "Edge Mobile" => "Edge",
        "Mobile Safari UI/WKWebView" => "WebKit",
        "Opera Mobile" => "Opera Mobi",
        "Amazon Silk" => "Silk",
        "UC Browser" => "UCBrowser",
        "Yandex Browser" => "Yandex",
        other => other,
    }
}

/// The name of an operating system.
pub(super) fn os(name: &str) -> &str {
    match name {
        "Mac OS X" | "Mac OS" => "macOS",
        "ATV OS X" => "tvOS",
        "WatchOS" => "watchOS",
        "Web0S" => "webOS",
        "Other" => "",
        other => other,
    }
}
