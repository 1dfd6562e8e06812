//! Operations, tools and routes of one's own.

use std::sync::atomic::{AtomicU64, Ordering};

use actix_web::{HttpResponse, http::Method, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline::{
    Access, Code, Failure, Operation, OperationSpec, Problem, Scope, Tool, ToolContext, ToolEffect,
    ToolSpec,
    application::{CreateTerms, NewLink},
    domain::{Destination, DestinationRules, Slug},
    operation::{Body, CalledBy, Changes, Json, Query},
};

use super::*;

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// The person to greet.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct AcmeGreeting {
    text: String,
    /// The number of greetings so far.
    times: u64,
}

/// Greets, and counts in state that the handler captures.
fn greeting(times: &Arc<AtomicU64>) -> Operation {
    let needs = Access::always(Scope::AnalyticsRead);
    let spec = OperationSpec {
        method: Method::GET,
        path: "/api/acme/greeting",
        id: "acme_greet",
        tag: "Acme",
        summary: "Greet somebody",
        description: "Says hello.",
        needs,
        fails: &[Code::LinkNotFound],
    };
    let times = Arc::clone(times);
    let handle = move |CalledBy(caller): CalledBy, Query(asked): Query<Asked>| {
        let times = Arc::clone(&times);
        async move {
            if asked.name == "nobody" {
                return Err(Problem::new(Code::LinkNotFound, "name: there is nobody").into());
            }
            let text = format!("Hello {}, says {}", asked.name, caller.name());
            let times = times.fetch_add(1, Ordering::Relaxed) + 1;
            Ok(Json::<200, _>(AcmeGreeting { text, times }))
        }
    };
    Operation::new(spec, handle)
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    slug: String,
}

async fn shorten(
    Changes(links): Changes,
    Body(wanted): Body<Wanted>,
) -> Result<Json<201, AcmeGreeting>, Failure> {
    let url = Destination::parse("https://example.com/", &DestinationRules::default()).unwrap();
    let new = NewLink {
        slug: Some(Slug::parse(&wanted.slug).unwrap()),
        ..NewLink::leading_to(url)
    };
    let made = links.create(new, CreateTerms::default()).await?;
    let text = made.link().key().slug.to_string();
    Ok(Json(AcmeGreeting { text, times: 1 }))
}

fn shortening() -> Operation {
    let needs = Access::with_links(Scope::LinksWrite);
    let spec = OperationSpec {
        method: Method::POST,
        path: "/api/acme/shorten",
        id: "acme_shorten",
        tag: "Acme",
        summary: "Shorten",
        description: "",
        needs,
        fails: &[],
    };
    Operation::new(spec, shorten)
}

fn greeter(times: &Arc<AtomicU64>) -> Tool {
    let needs = Access::always(Scope::AnalyticsRead);
    let spec = ToolSpec {
        name: "acme_greet",
        description: "Say hello to somebody.",
        needs,
        effect: ToolEffect::Reads,
    };
    let times = Arc::clone(times);
    Tool::new(spec, move |context: ToolContext, asked: Asked| {
        let times = times.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            let text = format!("Hello {}, says {}", asked.name, context.caller.name());
            Ok(AcmeGreeting { text, times })
        }
    })
}

fn extended() -> Embedded {
    let times = Arc::new(AtomicU64::new(0));
    Embedded::start(|builder| {
        builder
            .operation(greeting(&times))
            .operation(shortening())
            .tool(greeter(&times))
            .routes("/_acme", |config| {
                config.route(
                    "/hello",
                    web::get().to(async || HttpResponse::Ok().body("hi")),
                );
            })
    })
}

#[test]
fn an_added_operation_is_documented_and_guarded_as_our_own_are() {
    let service = extended();
    let document = service.get("/_docs/openapi.json").json();
    let operation = &document["paths"]["/api/acme/greeting"]["get"];
    assert_eq!(operation["operationId"], "acme_greet");
    assert_eq!(operation["tags"], json!(["Acme"]));
    assert_eq!(
        operation["description"],
        "Says hello. Scope: `analytics:read`."
    );
    assert_eq!(operation["security"], json!([{"bearerAuth": []}]));
    assert_eq!(operation["parameters"][0]["name"], "name");
    assert_eq!(
        operation["parameters"][0]["description"],
        "The person to greet."
    );
    let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(schema["$ref"], "#/components/schemas/AcmeGreeting");
    let schema = &document["components"]["schemas"]["AcmeGreeting"];
    assert_eq!(schema["required"], json!(["text", "times"]));
    for (status, code) in [
        ("400", "validation_error"),
        ("401", "unauthorized"),
        ("403", "missing_scope"),
        ("404", "link_not_found"),
        ("429", "too_many_attempts"),
    ] {
        let said = operation["responses"][status]["description"]
            .as_str()
            .unwrap();
        assert!(said.contains(code), "{said}");
    }

    let path = "/api/acme/greeting?name=Ada";
    let allowed = service.token("allowed", "analytics:read");
    let other = service.token("other", "links:read");
    let call = |token: Option<&str>, path: &str| service.send("GET", path, token, &Value::Null);
    assert_eq!(call(None, path).json()["code"], "unauthorized");
    assert_eq!(call(Some(&other), path).json()["code"], "missing_scope");
    let unfit = call(Some(&allowed), "/api/acme/greeting");
    assert_eq!(
        (unfit.status, &unfit.json()["code"]),
        (400, &json!("validation_error"))
    );
    let nobody = call(Some(&allowed), "/api/acme/greeting?name=nobody");
    assert_eq!(
        (nobody.status, &nobody.json()["code"]),
        (404, &json!("link_not_found"))
    );
    let greeted = call(Some(&allowed), path).is(200);
    assert_eq!(
        greeted.json(),
        json!({"text": "Hello Ada, says allowed", "times": 1})
    );
    service.stop();
}

#[test]
fn an_added_operation_obeys_the_limits_and_its_changes_are_in_the_audit_trail() {
    let service = extended();
    let writer = service.token("writer", "links:write");
    let shorten = |body: &Value| service.send("POST", "/api/acme/shorten", Some(&writer), body);
    let large = json!({"slug": "a".repeat(2 << 20)});
    assert_eq!(shorten(&large).json()["code"], "body_too_large");
    for number in 0..5 {
        shorten(&json!({"slug": format!("docs{number}")})).is(201);
    }
    let sixth = shorten(&json!({"slug": "docs5"}));
    assert_eq!(
        (sixth.status, &sixth.json()["code"]),
        (429, &json!("too_many_writes"))
    );
    let lines = service.get("/api/audit?slug=docs4").json();
    let line = &lines["lines"][0];
    assert_eq!(line["operation"], "link.create", "{lines}");
    assert_eq!(line["caller"], "writer");

    let path = "/api/acme/greeting?name=Ada";
    let guess = || service.send("GET", path, Some("a-wrong-guess"), &Value::Null);
    let refused = (0..1_000)
        .map(|_| guess().status)
        .find(|status| *status != 401);
    assert_eq!(refused, Some(429));
    service.stop();
}

#[test]
fn an_added_tool_is_listed_and_called_with_its_scope_only() {
    let service = extended();
    let names = |token: &str| -> Vec<String> {
        let list = service.mcp(token, "tools/list", &json!({}));
        let tools = list["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut expected: Vec<&str> = slugline_mcp::Server::tool_names().collect();
    expected.push("acme_greet");
    assert_eq!(names(TOKEN), expected);
    let allowed = service.token("allowed", "analytics:read");
    let other = service.token("other", "links:read");
    assert!(names(&allowed).contains(&"acme_greet".to_owned()));
    assert!(!names(&other).contains(&"acme_greet".to_owned()));

    let call = |token: &str, arguments: Value| {
        let params = json!({"name": "acme_greet", "arguments": arguments});
        service.mcp(token, "tools/call", &params)
    };
    let greeted = call(&allowed, json!({"name": "Ada"}));
    let expected = json!({"text": "Hello Ada, says allowed", "times": 1});
    assert_eq!(greeted["structuredContent"], expected);
    let said = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let refused = call(&other, json!({"name": "Ada"}));
    assert_eq!(refused["isError"], true);
    assert!(
        said(&refused).contains("this needs analytics:read"),
        "{refused}"
    );
    let unfit = call(&allowed, json!({"nam": "Ada"}));
    assert!(said(&unfit).contains("name"), "{unfit}");
    service.stop();
}

#[test]
fn added_routes_stand_beside_redirects_and_take_no_slug() {
    let service = extended();
    assert_eq!(service.get("/_acme/hello").text, "hi");
    assert_eq!(service.get("/_acme/other").status, 404);
    service.create("hello");
    service.create("acme");
    assert_eq!(service.get("/hello").status, 301);
    assert_eq!(service.get("/acme").status, 301);
    service.stop();
}

#[test]
fn what_collides_is_refused_before_anything_is_made() {
    let tool = |name| {
        let spec = ToolSpec {
            name,
            description: "Say hello.",
            needs: Access::OPEN,
            effect: ToolEffect::Reads,
        };
        Tool::new(spec, async |_, asked: Asked| {
            Ok(AcmeGreeting {
                text: asked.name,
                times: 0,
            })
        })
    };
    let refused = refusal(|builder| builder.tool(tool("get_link")));
    assert!(
        refused.contains("two tools have the name get_link"),
        "{refused}"
    );
    let refused = refusal(|builder| builder.operation(shortening()).operation(shortening()));
    assert!(
        refused.contains("two operations have the id acme_shorten"),
        "{refused}"
    );
    let refused = refusal(|builder| builder.routes("/_health", |_| {}));
    assert!(
        refused.contains("the prefix /_health of your routes is in use"),
        "{refused}"
    );
}
