use serde_json::json;

use super::{browser::Browser, instance::with_links, pages::Dialog};
use crate::support::server::Server;

/// Puts a file into the field, as a person's choice does.
fn choose_file(browser: &Browser<'_>, name: &str, text: &str) {
    browser.find("dialog input[type=file]");
    let script = "const files = new DataTransfer(); files.items.add(new File([arguments[0][1]], arguments[0][0])); const field = document.querySelector('dialog input[type=file]'); field.files = files.files; field.dispatchEvent(new Event('change', { bubbles: true }))";
    browser.run_with(script, &json!([name, text]));
}

/// Begins, waits for the end, and returns how many links were taken over, were there already, have
/// the slug of another, and were refused.
fn run(browser: &Browser<'_>) -> Vec<String> {
    Dialog(browser).accept();
    browser.reads("dialog .primary", "Done");
    browser.texts(".tally dd")
}

/// Looks what would come, imports it, and returns as [`run`].
fn import(browser: &Browser<'_>, links: usize) -> Vec<String> {
    Dialog(browser).accept();
    browser.reads("dialog .primary", &format!("Import {links} links"));
    run(browser)
}

#[test]
fn an_import_reports_each_row_of_a_file_or_a_text_and_takes_the_good_ones_over() {
    let server = with_links(&["there"]);
    let mut table = String::from("slug,url,comment,folder\n");
    for number in 0..150 {
        let row = match number {
            7 => "bad,javascript:alert(1),,\n".to_owned(),
            120 => "also bad,https://example.com/,,\n".to_owned(),
            130 => "there,https://example.com/,,\n".to_owned(),
            131 => "there,https://example.com/other,,\n".to_owned(),
            _ => format!("row-{number},https://example.com/{number},\"a, b\",x\n"),
        };
        table.push_str(&row);
    }
    let browser = Browser::signed_in(&server, "links?do=import");
    for (file, text, told) in [
        ("links.db", "SQLite format 3", "slugline import links.db"),
        (
            "links.txt",
            "lorem ipsum",
            "No links can be read in links.txt",
        ),
    ] {
        choose_file(&browser, file, text);
        browser.says("dialog .error-note", told);
    }
    choose_file(&browser, "links.csv", &table);
    assert_eq!(import(&browser, 146), ["146", "1", "1", "2"]);
    browser.reads("dialog .note", "No counterpart here: folder");
    let report = browser.texts(".report li");
    let rows = [
        "Row 8 ",
        "Row 121 ",
        "Row 131 there Already there",
        "Row 132 there Slug of another link",
    ];
    assert_eq!(report.len(), rows.len(), "{report:?}");
    for (line, row) in report.iter().zip(rows) {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.starts_with(row), "{line:?} is not {row:?}");
    }
    Dialog(&browser).accept();
    browser.settle();
    let links = server.links();
    assert_eq!(links.len(), 147);
    assert_eq!(links["row-149"]["comment"], "a, b");

    browser.go("links?do=import");
    browser.type_into(
        "#lines",
        "https://example.com/one\nexample.com/two\njavascript:alert(1)\n",
    );
    assert_eq!(run(&browser), ["2", "0", "0", "1"]);
    let report = browser.texts(".report li");
    assert!(report[0].starts_with("Row 3"), "{report:?}");
    let mut pasted = server.links();
    pasted.retain(|slug, _| !links.contains_key(slug));
    let mut urls: Vec<_> = pasted.values().map(|link| link["url"].as_str()).collect();
    urls.sort_unstable();
    let wanted = ["https://example.com/one", "https://example.com/two"];
    assert_eq!(urls, wanted.map(Some));
    // The browser reports refused pieces.
    browser.finish(&["400"]);
}

#[test]
fn an_export_holds_every_link_and_can_be_imported_again() {
    let server = with_links(&["link-0", "link-1", "link-2"]);
    let browser = Browser::signed_in(&server, "links?do=export");
    browser.catch_files();
    Dialog(&browser).accept();
    browser.caught(1);
    Dialog(&browser).is_closed();
    let text = browser.text_of_file();
    for slug in server.links().keys() {
        server.delete_link(slug);
    }
    browser.go("links?do=import");
    choose_file(&browser, "links.json", &text);
    assert_eq!(import(&browser, 3), ["3", "0", "0", "0"]);
    browser.finish(&[]);
}

#[test]
fn destinations_are_checked_and_those_that_do_not_answer_are_listed() {
    let server = Server::start();
    for number in 0..3 {
        // Its address is not on the public internet, so the check does not request it.
        server.create(&json!({"url": "http://127.0.0.1:9/", "slug": format!("dead-{number}")}));
    }
    let browser = Browser::signed_in(&server, "links?do=check");
    run(&browser);
    let dead = browser.texts(".report code");
    assert_eq!(dead, ["/dead-0", "/dead-1", "/dead-2"]);
    browser.finish(&[]);
}
