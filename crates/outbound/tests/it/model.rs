//! The domain's suggester, on a model under the test's control.

use rstest::rstest;
use serde_json::{Value, json};
use slugline_domain::{Destination, DestinationRules, ports::Suggester};
use slugline_outbound::{ApiKey, Client, LanguageModel, ModelOptions, Policy};

use crate::support::{Listener, Script, client, everything_allowed, strict_client};

fn to(url: &str) -> Destination {
    Destination::parse(url, &DestinationRules::default()).unwrap()
}

fn completion(content: &str) -> Script {
    let body =
        json!({"id": "x", "choices": [{"message": {"role": "assistant", "content": content}}]});
    Script::ok(&body.to_string())
}

fn page(html: &str) -> Script {
    let length = html.len();
    Script::Say(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\n\r\n{html}"
    ))
}

fn asking(model: &Listener, pages: Client) -> LanguageModel {
    let options = ModelOptions::new(
        format!("http://localhost:{}/v1/", model.port)
            .parse()
            .unwrap(),
        "small".into(),
    )
    .with_key(Some(ApiKey::new("sk-1").unwrap()))
    .with_slug_prompt(ModelOptions::SLUG_PROMPT.into())
    .with_preview_prompt(ModelOptions::PREVIEW_PROMPT.into());
    let models = Client::new(Policy::for_operators_servers());
    LanguageModel::new(pages, models, options)
}

/// The body of a request that announced its length.
fn question(model: &Listener) -> Value {
    serde_json::from_str(&model.bodies()[0]).unwrap()
}

#[tokio::test]
async fn the_model_is_told_the_page_and_its_answer_is_passed_on() {
    let model = Listener::start(completion("```json\n{\"slug\": \"a-page\"}\n```")).await;
    let site = Listener::start(page(
        "<title>Fish</title><script>evil()</script><p>and &amp; chips",
    ))
    .await;
    let url = to(&format!("http://site.example:{}/menu?x=1", site.port));
    let asking = asking(&model, client(&everything_allowed()));
    assert_eq!(asking.slug(&url).await.unwrap(), "a-page");

    let head = &model.requests()[0];
    assert!(
        head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("authorization: Bearer sk-1\r\n"), "{head}");
    let asked = question(&model);
    assert_eq!(
        (&asked["model"], &asked["stream"]),
        (&json!("small"), &json!(false))
    );
    let prompt = asked["messages"][0]["content"].as_str().unwrap();
    assert!(
        prompt.contains("^[A-Za-z0-9][A-Za-z0-9_]*") && !prompt.contains("{slugRegex}"),
        "{prompt}"
    );
    let told = asked["messages"][1]["content"].as_str().unwrap();
    assert!(
        told.contains(url.as_str()) && told.ends_with("\n\nFish and & chips"),
        "{told}"
    );
    assert!(!site.requests()[0].contains("authorization"));
}

#[tokio::test]
async fn a_preview_is_asked_for_in_its_language() {
    let model = Listener::start(completion(
        "{\"title\":\"Fisch\",\"description\":\"und mehr\"}",
    ))
    .await;
    let asking = asking(&model, client(&everything_allowed()));
    let german = "de-DE".parse().unwrap();
    let said = asking.preview(&to("http://127.0.0.1:1/"), &german).await;
    assert_eq!(said.unwrap(), ("Fisch".to_owned(), "und mehr".to_owned()));
    let asked = question(&model);
    for turn in [0, 1] {
        let said = asked["messages"][turn]["content"].as_str().unwrap();
        assert!(said.contains("de-DE"), "{said}");
    }
}

#[tokio::test]
async fn an_inner_page_is_not_read_for_the_model() {
    let model = Listener::start(completion("{\"slug\": \"x\"}")).await;
    let inside = Listener::start(page("secret")).await;
    let asking = asking(&model, strict_client(&everything_allowed()));
    let url = to(&format!("http://site.example:{}/", inside.port));
    assert_eq!(asking.slug(&url).await.unwrap(), "x");
    assert_eq!(inside.connections(), 0);
    assert!(!question(&model).to_string().contains("secret"));
}

#[tokio::test]
async fn a_large_page_is_read_in_part() {
    let model = Listener::start(completion("{\"slug\": \"x\"}")).await;
    let huge = format!("<p>begin {}", "word ".repeat(200_000));
    let site = Listener::start(page(&huge)).await;
    let asking = asking(&model, client(&everything_allowed()));
    let url = to(&format!("http://site.example:{}/", site.port));
    assert_eq!(asking.slug(&url).await.unwrap(), "x");
    let asked = question(&model);
    let told = asked["messages"][1]["content"].as_str().unwrap();
    let (_, text) = told.split_once("\n\nbegin").unwrap();
    assert_eq!(text.chars().count() + "begin".len(), 4096);
}

#[rstest]
#[case::no_object(completion("a-page"))]
#[case::another_object(completion("{\"name\": 5}"))]
#[case::no_choice(Script::ok("{\"choices\": []}"))]
#[case::no_json(Script::ok("hello"))]
#[case::an_error(Script::Say("HTTP/1.1 429 Slow down\r\ncontent-length: 0\r\n\r\n".into()))]
#[case::a_redirect(Script::redirect("/elsewhere"))]
#[case::nothing(Script::Say(String::new()))]
#[tokio::test]
async fn a_model_that_fails_says_nothing(#[case] script: Script) {
    let model = Listener::start(script).await;
    let asking = asking(&model, client(&everything_allowed()));
    assert_eq!(asking.slug(&to("http://127.0.0.1:1/")).await, None);
    assert_eq!(model.connections(), 1);
}
