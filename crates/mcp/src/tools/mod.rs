//! The tools: a table and the functions of each noun.

mod analytics;
mod links;
mod tool;

use serde_json::Value;
use slugline_application::Caller;
use slugline_contract::Bounds;

pub use self::tool::{Tool, ToolContext, ToolEffect, ToolSpec};

/// The tools of every instance, in the order in which they are listed.
pub(crate) fn built_in() -> Vec<Tool> {
    let mut tools = links::tools();
    tools.extend(analytics::tools());
    tools
}

/// Returns whether the caller's token permits each of the tools, in their order.
pub(crate) fn permitted<'t>(tools: &'t [Tool], caller: &'t Caller) -> impl Iterator<Item = bool> {
    tools.iter().map(|tool| {
        let scope = tool.spec.needs.scope();
        scope.is_none_or(|scope| caller.may(scope).is_ok())
    })
}

/// Returns every tool as `tools/list` shows it.
pub(crate) fn describe_all(tools: &[Tool], bounds: &Bounds) -> Vec<Value> {
    tools.iter().map(|tool| tool.described(bounds)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slugline_domain::Dimension;

    use super::{tool::title, *};

    fn tools() -> Vec<Value> {
        describe_all(&built_in(), &Bounds::default())
    }

    /// Yields every schema inside this one, itself included.
    fn schemas(schema: &Value) -> Vec<&Value> {
        let members = schema["properties"].as_object().into_iter();
        let below = members
            .flat_map(|members| members.values())
            .chain(schema.get("items"))
            .chain(schema.get("additionalProperties").filter(|s| s.is_object()));
        std::iter::once(schema)
            .chain(below.flat_map(schemas))
            .collect()
    }

    #[test]
    fn every_tool_tells_a_model_what_it_does() {
        for tool in tools() {
            let name = tool["name"].as_str().unwrap();
            assert!(name.len() <= 64 && is_plain(name), "{name}");
            assert_eq!(tool["title"], title(name));
            let description = tool["description"].as_str().unwrap();
            assert!((80..=600).contains(&description.len()), "{name}");
            assert!(!description.contains("  "), "{name}");
            for (member, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let is_obvious =
                    OBVIOUS.contains(&member.as_str()) || Dimension::named(member).is_some();
                let is_described = schema["description"].is_string();
                assert!(is_described || is_obvious, "{name} {member}");
            }
        }
        assert_eq!(tools()[2]["title"], "Get link");
    }

    /// Members that their names and options describe, beside the filters of
    /// [`Dimension`]s: answers show their values.
    const OBVIOUS: [&str; 7] = ["id", "tag", "tags", "bots", "status", "sort", "limit"];

    #[test]
    fn every_schema_is_one_that_real_clients_digest() {
        for tool in tools() {
            for (side, keywords) in [("inputSchema", INPUT), ("outputSchema", OUTPUT)] {
                let root = &tool[side];
                let case = format!("{} {side}", tool["name"]);
                assert_eq!(root["type"], "object", "{case}");
                for schema in schemas(root) {
                    let object = schema.as_object().unwrap();
                    for keyword in object.keys() {
                        assert!(keywords.contains(&keyword.as_str()), "{case}: {keyword}");
                    }
                    assert!(schema["type"].is_string(), "{case}: {schema}");
                    let members = schema["properties"].as_object().into_iter().flatten();
                    let names: Vec<&String> = members.map(|(name, _)| name).collect();
                    assert!(names.iter().all(|name| is_plain(name)), "{case}: {names:?}");
                    let required = schema["required"].as_array().into_iter().flatten();
                    for name in required {
                        assert!(
                            names.contains(&&name.as_str().unwrap().to_owned()),
                            "{case}"
                        );
                    }
                }
            }
        }
    }

    /// Keywords that the strictest interfaces of models take, each value of one type: no
    /// references, unions, lists of types, formats and patterns.
    const INPUT: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "enum",
        "description",
        "default",
        "minimum",
        "maximum",
        "maxItems",
    ];

    /// Keywords that every validator supports.
    const OUTPUT: &[&str] = &[
        "type",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "enum",
        "minimum",
        "maximum",
    ];

    fn is_plain(name: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !name.is_empty() && name.bytes().all(plain)
    }

    #[test]
    fn hints_say_of_each_tool_what_it_may_do() {
        for tool in tools() {
            let name = tool["name"].as_str().unwrap();
            let expected = match name {
                "check_links" => json!({"readOnlyHint": true, "openWorldHint": true}),
                "create_link" => changing(false, false),
                "upsert_link" => changing(false, true),
                "update_link" | "delete_link" => changing(true, true),
                _ => json!({"readOnlyHint": true, "openWorldHint": false}),
            };
            assert_eq!(tool["annotations"], expected, "{name}");
        }
    }

    fn changing(destructive: bool, idempotent: bool) -> Value {
        json!({
            "readOnlyHint": false, "destructiveHint": destructive,
            "idempotentHint": idempotent, "openWorldHint": false,
        })
    }

    /// The list is part of the context of every conversation of every agent.
    #[test]
    fn the_whole_list_is_small() {
        let size = json!(tools()).to_string().len();
        assert!(size <= 30 << 10, "the list has {size} bytes");
    }
}
