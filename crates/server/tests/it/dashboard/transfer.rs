use serde_json::json;

use super::browser::Browser;
use crate::support::server::Server;

/// Puts a file into the field, as a person's choice does.
fn choose_file(browser: &Browser<'_>, name: &str, text: &str) {
    browser.find("dialog input[type=file]");
    let script = "const files = new DataTransfer(); files.items.add(new File([arguments[0][1]], arguments[0][0])); const field = document.querySelector('dialog input[type=file]'); field.files = files.files; field.dispatchEvent(new Event('change', { bubbles: true }))";
    browser.run_with(script, &json!([name, text]));
    browser.until(
        "the file is read",
        "return !document.querySelector('dialog .primary').disabled",
    );
}

#[test]
fn an_import_reports_each_row_and_takes_the_good_ones_over() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "there"}));
    let mut table = String::from("slug,url,comment\n");
    for number in 0..150 {
        let row = match number {
            7 => "bad,javascript:alert(1),\n".to_owned(),
            120 => "also bad,https://example.com/,\n".to_owned(),
            130 => "there,https://example.com/,\n".to_owned(),
            _ => format!("row-{number},https://example.com/{number},\"a, b\"\n"),
        };
        table.push_str(&row);
    }
    let browser = Browser::signed_in(&server, "links?do=import");
    choose_file(&browser, "links.csv", &table);
    browser.click("dialog .primary");
    browser.until(
        "it is over",
        "return document.querySelector('dialog .primary')?.textContent === 'Done'",
    );
    assert_eq!(browser.texts(".tally dd"), ["147", "1", "2"]);
    let report = browser.texts(".report li");
    assert_eq!(report.len(), 2, "{report:?}");
    assert!(
        report[0].starts_with("Row 8") && report[1].starts_with("Row 121"),
        "{report:?}"
    );
    browser.click("dialog .primary");
    browser.settle();
    assert_eq!(
        server.api("GET", "/api/link/count").send().json()["count"],
        148
    );
    let link = server
        .api("GET", "/api/link/query?slug=row-149")
        .send()
        .json();
    assert_eq!(link["comment"], "a, b");
    // The browser reports refused pieces.
    browser.finish(&["400"]);
}

#[test]
fn an_export_holds_every_link_and_can_be_imported_again() {
    let server = Server::start();
    for number in 0..3 {
        server.create(&json!({"url": "https://example.com/", "slug": format!("link-{number}")}));
    }
    let browser = Browser::signed_in(&server, "links?do=export");
    browser.find("dialog .primary");
    browser.run("URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:x'; }; HTMLAnchorElement.prototype.click = () => {}");
    browser.click("dialog .primary");
    browser.until(
        "it is saved",
        "return window.saved !== undefined && document.querySelector('dialog') === null",
    );
    let text = browser.run_async("saved.text().then(arguments[0])");
    let other = Server::start();
    let again = Browser::signed_in(&other, "links?do=import");
    choose_file(&again, "links.json", text.as_str().unwrap());
    again.click("dialog .primary");
    again.until(
        "it is over",
        "return document.querySelector('dialog .primary')?.textContent === 'Done'",
    );
    assert_eq!(again.texts(".tally dd"), ["3", "0", "0"]);
    browser.finish(&[]);
    again.finish(&[]);
}

#[test]
fn destinations_are_checked_and_those_that_do_not_answer_are_listed() {
    let server = Server::start();
    for number in 0..3 {
        // Its address is not on the public internet, so the check does not request it.
        server.create(&json!({"url": "http://127.0.0.1:9/", "slug": format!("dead-{number}")}));
    }
    let browser = Browser::signed_in(&server, "links?do=check");
    browser.click("dialog .primary");
    browser.until(
        "it is over",
        "return document.querySelector('dialog .primary')?.textContent === 'Done'",
    );
    assert_eq!(
        browser.texts(".report code"),
        ["/dead-0", "/dead-1", "/dead-2"]
    );
    browser.finish(&[]);
}

#[test]
fn pasted_addresses_become_links_with_a_result_for_each() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "links?do=import");
    browser.type_into(
        "#lines",
        "https://example.com/one\nexample.com/two\njavascript:alert(1)\n",
    );
    browser.click("dialog .primary");
    browser.until(
        "it is over",
        "return document.querySelector('dialog .primary')?.textContent === 'Done'",
    );
    assert_eq!(browser.texts(".tally dd"), ["2", "0", "1"]);
    let report = browser.texts(".report li");
    assert!(report[0].starts_with("Row 3"), "{report:?}");
    let links = server.api("GET", "/api/link/list").send().json();
    let mut urls: Vec<&str> = links["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["url"].as_str().unwrap())
        .collect();
    urls.sort_unstable();
    assert_eq!(urls, ["https://example.com/one", "https://example.com/two"]);
    browser.finish(&["400"]);
}
