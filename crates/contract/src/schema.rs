//! JSON Schema settings shared by OpenAPI and MCP.

use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform, transform_subschemas},
};
use serde_json::Value;
use slugline_domain::DestinationRules;

use crate::Rules;

/// JSON Schema 2020-12, with "optional" meaning "may be left out" and the
/// instance's own limit on URLs.
pub fn settings(rules: &Rules) -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .with_transform(RecursiveTransform(absent_not_null))
        .with_transform(UrlLimit(rules.destinations.max_chars()))
}

/// The schema of a type on its own, with nothing referred to.
pub fn standalone<T: JsonSchema>(rules: &Rules) -> Schema {
    let settings = settings(rules).with(|settings| settings.inline_subschemas = true);
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    // The type's Rust name says nothing to a client.
    schema.remove("title");
    schema
}

/// Schemars lets optional members be `null`; this wire leaves them out, but for
/// those that say of themselves that they are nullable.
fn absent_not_null(schema: &mut Schema) {
    if schema.remove("nullable").is_some() {
        schema.remove("default");
        return;
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(options)) = schema.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            for (name, value) in only {
                schema.insert(name, value);
            }
        }
    }
}

/// The wire types state the default limit on URLs; this states the instance's.
#[derive(Clone, Debug)]
struct UrlLimit(usize);

impl Transform for UrlLimit {
    fn transform(&mut self, schema: &mut Schema) {
        let default = Value::from(DestinationRules::DEFAULT_MAX_CHARS);
        if schema.get("maxLength") == Some(&default) {
            schema.insert("maxLength".into(), self.0.into());
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CreateLink, LinkView, ListLinks};

    fn schema<T: JsonSchema>() -> Value {
        standalone::<T>(&Rules::default()).to_value()
    }

    #[test]
    fn bounds_of_the_domain_stand_in_the_schema() {
        let schema = schema::<CreateLink>();
        let of = |member: &str| schema["properties"][member].clone();
        assert_eq!(schema["required"], json!(["url"]));
        assert_eq!(of("url")["maxLength"], 16_384);
        assert_eq!(of("url")["format"], "uri");
        assert_eq!(of("slug")["pattern"], "^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$");
        assert_eq!(of("tags")["maxItems"], 10);
        assert_eq!(of("tags")["items"]["maxLength"], 32);
        assert_eq!(of("password")["maxLength"], 128);
        assert_eq!(
            of("comment")["type"],
            "string",
            "optional does not mean null"
        );
    }

    #[test]
    fn the_limit_on_urls_follows_the_settings() {
        let rules = Rules {
            destinations: DestinationRules::new(300, Vec::new()),
        };
        let schema = standalone::<CreateLink>(&rules).to_value();
        assert_eq!(schema["properties"]["url"]["maxLength"], 300);
        assert_eq!(
            schema["properties"]["geo"]["additionalProperties"]["maxLength"],
            300
        );
    }

    #[test]
    fn schemas_hold_no_references_and_no_null() {
        for schema in [
            schema::<CreateLink>(),
            schema::<ListLinks>(),
            schema::<LinkView>(),
        ] {
            let text = schema.to_string();
            assert!(!text.contains("$ref") && !text.contains("null"), "{text}");
        }
    }
}
