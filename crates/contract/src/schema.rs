//! JSON Schema settings shared by OpenAPI and MCP.

use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform, transform_subschemas},
};
use serde_json::{Map, Value};
use slugline_domain::DestinationRules;

use crate::{
    bounds::Bounds,
    links::{BrokenView, LinkView},
    stats::{DEFAULT_ROWS, HourAverage, SamplingView, StdErrorView},
};

/// JSON Schema 2020-12, with "optional" meaning "may be left out" and the
/// instance's own limit on URLs.
pub fn settings(bounds: &Bounds) -> SchemaSettings {
    marked(bounds).with_transform(RecursiveTransform(unmarked))
}

/// The mark of members whose name and values say what their description says.
const OBVIOUS: &str = "x-obvious";

/// As [`settings`], with marks.
fn marked(bounds: &Bounds) -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .with_transform(RecursiveTransform(absent_not_null))
        .with_transform(UrlLimit(bounds.destinations.max_bytes()))
        .with_transform(RowLimits(bounds.rows_max.get()))
}

/// The schema of a tool's arguments on its own, in the few keywords that the strictest
/// interfaces of models take: each value has one type, nothing is referred to, and there are no
/// unions of constants. A moment is a text there.
pub fn arguments<T: JsonSchema>(bounds: &Bounds) -> Schema {
    let mut schema = plain::<T>(bounds);
    RecursiveTransform(of_one_type).transform(&mut schema);
    schema
}

fn plain<T: JsonSchema>(bounds: &Bounds) -> Schema {
    let settings = marked(bounds)
        .with(|settings| settings.inline_subschemas = true)
        .with_transform(RecursiveTransform(without_the_obvious))
        .with_transform(RecursiveTransform(without_forms))
        .with_transform(RecursiveTransform(constants_as_enum));
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    // The type's Rust name says nothing to a client, and what the type is for
    // stands in the description of the tool.
    schema.remove("title");
    schema.remove("description");
    // Some hosts of models insist on it, also where there is nothing to say.
    if schema.get("properties").is_none() {
        schema.insert("properties".into(), Map::new().into());
    }
    schema
}

/// The schema of a tool's result: as that of arguments, without descriptions. The
/// description of the tool says what is not plain from the names, and a model that
/// reads the list of tools pays for each repetition. So the members of a link are listed where
/// the result is a link, and not where a link is part of it; those of the note on sampling
/// and of standard errors, which the server's instructions explain, of averages and of failed
/// checks, never.
pub fn result<T: JsonSchema>(bounds: &Bounds) -> Schema {
    let mut schema = plain::<T>(bounds);
    let known = [
        plain::<LinkView>(bounds),
        plain::<SamplingView>(bounds),
        plain::<HourAverage>(bounds),
        plain::<StdErrorView>(bounds),
        plain::<BrokenView>(bounds),
    ];
    transform_subschemas(&mut WithoutMembers(&known), &mut schema);
    transform_subschemas(&mut Undescribed, &mut schema);
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

fn unmarked(schema: &mut Schema) {
    schema.remove(OBVIOUS);
}

/// Removes descriptions that repeat what a model reads from the name of a member.
fn without_the_obvious(schema: &mut Schema) {
    if schema.remove(OBVIOUS).is_some() {
        schema.remove("description");
    }
}

/// Removes forms and lengths of texts, which strict interfaces of models refuse and whose breach
/// an answer names, wide bounds of numbers, and a default that a flag has anyway.
fn without_forms(schema: &mut Schema) {
    const WIDE: i64 = 65_535;
    const FORMS: [&str; 5] = [
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "propertyNames",
    ];
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|name| name.contains("int")) && schema.get("minimum") == Some(&0.into()) {
        schema.remove("minimum");
    }
    for form in FORMS {
        schema.remove(form);
    }
    for bound in ["minimum", "maximum"] {
        let value = schema.get(bound).and_then(Value::as_i64);
        if value.is_some_and(|value| value.abs() >= WIDE) {
            schema.remove(bound);
        }
    }
    if schema.get("default") == Some(&false.into()) {
        schema.remove("default");
    }
}

/// Leaves one type of several: a text where there is a choice, because models write dates better
/// than seconds.
fn of_one_type(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get("type") {
        let text = types.iter().find(|name| *name == "string");
        let only = text.or(types.first()).cloned().unwrap_or_default();
        schema.insert("type".into(), only);
    }
}

/// Schemars describes each option of an enum; plain `enum` is understood by
/// clients that know no unions.
fn constants_as_enum(schema: &mut Schema) {
    let Some(Value::Array(options)) = schema.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Value>> = options
        .iter()
        .map(|option| option.get("const").cloned())
        .collect();
    if let Some(constants) = constants {
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), constants.into());
    }
}

/// Drops descriptions here and below.
#[derive(Clone, Debug)]
struct Undescribed;

impl Transform for Undescribed {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("description");
        transform_subschemas(self, schema);
    }
}

/// Leaves out the members of objects that have one of these schemas.
#[derive(Clone, Debug)]
struct WithoutMembers<'s>(&'s [Schema]);

impl Transform for WithoutMembers<'_> {
    fn transform(&mut self, schema: &mut Schema) {
        let has_members_of = |known: &Schema| known.get("properties") == schema.get("properties");
        if self.0.iter().any(has_members_of) {
            schema.remove("properties");
            schema.remove("required");
        } else {
            transform_subschemas(self, schema);
        }
    }
}

/// Replaces the default limit on URLs, which the wire types state, by the instance's.
#[derive(Clone, Debug)]
struct UrlLimit(usize);

impl Transform for UrlLimit {
    fn transform(&mut self, schema: &mut Schema) {
        let default = Value::from(DestinationRules::DEFAULT_MAX_BYTES);
        if schema.get("maxLength") == Some(&default) {
            schema.insert("maxLength".into(), self.0.into());
        }
        transform_subschemas(self, schema);
    }
}

/// Replaces the default limit on rows by the instance's.
#[derive(Clone, Debug)]
struct RowLimits(u32);

impl Transform for RowLimits {
    fn transform(&mut self, schema: &mut Schema) {
        let stated = Value::from(DEFAULT_ROWS);
        if schema.get("maximum") == Some(&stated) && schema.get("default") == Some(&stated) {
            schema.insert("maximum".into(), self.0.into());
            schema.insert("default".into(), self.0.into());
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::DeserializeOwned;
    use serde_json::json;
    use slugline_domain::{ProbeCaller, RowLimit};
    use slugline_testkit::with;

    use super::*;
    use crate::{
        NamedDomain, Problem, UnknownNames,
        faults::faults,
        links::*,
        migration::RunMigration,
        reader::read,
        stats::{MetricsRequest, ViewsRequest},
        tokens::{MakeToken, RevokeToken},
        validation::Validation,
    };

    fn schema<T: JsonSchema>() -> Value {
        arguments::<T>(&Bounds::default()).to_value()
    }

    #[test]
    fn bounds_of_the_domain_stand_in_the_document() {
        let generator = SchemaGenerator::new(settings(&Bounds::default()));
        let schema = generator.into_root_schema_for::<CreateLink>().to_value();
        let of = |member: &str| schema["properties"][member].clone();
        assert_eq!(schema["required"], json!(["url"]));
        assert_eq!(of("title")["maxLength"], 256);
        assert_eq!(of("url")["format"], "uri");
        assert_eq!(
            of("slug")["pattern"],
            "^[A-Za-z0-9][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$"
        );
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
    fn arguments_have_one_type_each_and_no_forms() {
        let [new, changed] = [schema::<CreateLink>(), schema::<PatchLink>()];
        let of = |schema: &Value, member: &str| {
            let mut member = schema["properties"][member].clone();
            member.as_object_mut().unwrap().remove("description");
            member
        };
        for moment in ["expiration", "startsAt"] {
            assert_eq!(of(&new, moment), json!({"type": "string"}));
            assert_eq!(of(&changed, moment), json!({"type": "string"}));
        }
        assert_eq!(of(&new, "slug"), json!({"type": "string"}));
        assert_eq!(of(&new, "validateOnly"), json!({"type": "boolean"}));
        assert_eq!(of(&changed, "disabled"), json!({"type": "boolean"}));
        let geo = json!({"type": "object", "additionalProperties": {"type": "string"}});
        assert_eq!(of(&changed, "geo"), geo);
        assert_eq!(of(&new, "maxVisits")["minimum"], 1);
    }

    #[test]
    fn the_limit_on_rows_follows_the_settings() {
        let bounds = Bounds {
            rows_max: RowLimit::new(40, RowLimit::MAX).unwrap(),
            ..Bounds::default()
        };
        let limit = &arguments::<MetricsRequest>(&bounds).to_value()["properties"]["limit"];
        assert_eq!(
            (&limit["maximum"], &limit["default"]),
            (&json!(40), &json!(40))
        );
    }

    #[test]
    fn the_limit_on_urls_follows_the_settings() {
        let limits = |bounds: &Bounds| {
            let generator = SchemaGenerator::new(settings(bounds));
            let documented = generator.into_root_schema_for::<CreateLink>();
            let members = documented.to_value()["properties"].clone();
            let below = members["geo"]["additionalProperties"]["maxLength"].clone();
            assert_eq!(members["url"]["maxLength"], below);
            below
        };
        assert_eq!(limits(&Bounds::default()), 16_384);
        let bounds = Bounds {
            destinations: DestinationRules::new(300, Vec::new()),
            ..Bounds::default()
        };
        assert_eq!(limits(&bounds), 300);
    }

    #[test]
    fn options_are_an_enum_and_widths_of_numbers_are_not_told() {
        let list = schema::<ListLinks>();
        assert_eq!(
            list["properties"]["sort"]["enum"],
            json!(["az", "za", "newest", "oldest", "visits"])
        );
        let view = result::<LinkView>(&Bounds::default()).to_value();
        assert!(view["properties"]["createdAt"].get("format").is_none());
    }

    /// Compares the document of an input with its check: required members, types, and nulls beside
    /// the least that must be sent. Returns the members that take null although the document does
    /// not say so.
    fn agree<T: JsonSchema + DeserializeOwned + 'static, V>(
        least: &Value,
        check: impl Fn(T) -> Result<V, Problem>,
    ) -> Vec<String> {
        let generator = SchemaGenerator::new(settings(&Bounds::default()));
        let schema = generator.into_root_schema_for::<T>().to_value();
        let strange = UnknownNames::of::<T>(&json!({"zz": 1})).refuse_meant();
        assert_eq!(strange.is_err(), schema["additionalProperties"] == false);
        let told = |body: &Value| faults(read(body).and_then(&check));
        let required = schema["required"].clone();
        let required: BTreeSet<String> = serde_json::from_value(required).unwrap_or_default();
        if least.as_object().unwrap().keys().eq(&required) {
            let missed = told(&json!({})).into_iter().map(|(path, message)| {
                assert!(message.ends_with("received undefined"), "{path}: {message}");
                path
            });
            assert_eq!(missed.collect::<BTreeSet<_>>(), required);
        }
        let members = schema["properties"].as_object().unwrap().iter();
        let silent = members.filter(|(name, member)| {
            let is_refused = |value: Value| {
                let body = with(least.clone(), |it| it[name.as_str()] = value);
                let mut faults = told(&body).into_iter();
                faults.any(|(path, _)| path.split('.').next() == Some(name))
            };
            let types = with((*member).clone(), |it| it["description"] = json!(""));
            let types = types.to_string();
            let wrong = [json!({"?": 1}), json!(5)][usize::from(types.contains("object"))].clone();
            assert!(is_refused(wrong), "{name}");
            let takes_null = !is_refused(Value::Null);
            assert!(takes_null || !types.contains("null"), "{name}");
            takes_null && !types.contains("null")
        });
        silent.map(|(name, _)| name.clone()).collect()
    }

    #[test]
    fn inputs_are_checked_as_the_document_says() {
        let bounds = &Bounds::default();
        let to = json!({"url": "https://e.example/"});
        let slug = json!({"slug": "docs"});
        let both = json!({"slug": "docs", "url": "https://e.example/"});
        let nothing = json!({});
        let partial = json!({"slug": "docs", "partial": true});
        let delete = json!({"action": "delete", "slugs": ["docs"]});
        let token = json!({"name": "ci", "scopes": ["admin"]});
        let import = json!({"version": "1", "links": []});
        let (unit, dimension) = (json!({"unit": "day"}), json!({"type": "os"}));
        let (host, id) = (json!({"host": "go.example"}), json!({"id": "x"}));
        let caller = ProbeCaller::default;
        for silent in [
            agree(&to, |body: CreateLink| body.validate(bounds)),
            agree(&both, |body: EditLink| body.validate(bounds)),
            agree(&slug, |body: PatchLink| body.validate(bounds)),
            agree(&partial, |body: UpdateLink| body.validate(bounds)),
            agree(&both, |body: ImportLink| body.validate(bounds)),
            agree(&import, |body: ImportLinks| {
                let mut validation = Validation::default();
                body.check_envelope(&mut validation);
                validation.finish(|| Some(()))
            }),
            agree(&delete, |body: BatchLinks| body.validate()),
            agree(&nothing, |body: CheckLinks| body.validate(caller())),
            agree(&slug, |body: LinkDeletion| body.validate()),
            agree(&slug, |body: ExplainLink| body.validate(bounds)),
            agree(&token, |body: MakeToken| body.validate()),
            agree(&json!({"name": "ci"}), |body: RevokeToken| body.validate()),
            agree(&slug, |body: SlugOrId| body.validate()),
            agree(&nothing, |body: RunMigration| body.validate()),
            agree(&to, |body: ExactUrlSearch| body.validate(bounds)),
            agree(&slug, |body: DeleteLink| body.validate()),
            agree(&slug, |query: GetLink| query.validate()),
            agree(&to, |query: SuggestSlug| query.validate(bounds)),
            agree(&to, |query: SuggestPreview| query.validate(bounds)),
            agree(&unit, |query: ViewsRequest| query.validate()),
            agree(&dimension, |query: MetricsRequest| query.validate(bounds)),
            agree(&host, |body: NamedDomain| body.validate(bounds)),
            agree(&id, |body: RestoreLink| body.validate()),
        ] {
            assert_eq!(silent, [""; 0]);
        }
    }

    #[test]
    fn results_are_not_described_and_keep_members_of_that_name() {
        let list = result::<LinkList>(&Bounds::default()).to_value();
        let links = &list["properties"]["links"];
        assert!(links["items"]["properties"]["slug"]["type"].is_string());
        assert!(links["items"]["properties"]["description"].is_object());
        assert!(!list.to_string().contains(r#""description":""#));
    }

    #[test]
    fn what_is_obvious_is_told_to_people_and_not_to_models() {
        let told = |schema: Schema, member: &str| {
            let schema = schema.to_value();
            schema["properties"][member].get("description").is_some()
        };
        let bounds = &Bounds::default();
        for (member, to_models) in [("os", false), ("startAt", true)] {
            assert_eq!(told(arguments::<ViewsRequest>(bounds), member), to_models);
            let mut generator = SchemaGenerator::new(settings(bounds));
            let documented = generator.root_schema_for::<ViewsRequest>();
            assert!(!documented.clone().to_value().to_string().contains(OBVIOUS));
            assert!(told(documented, member));
        }
    }

    #[test]
    fn a_link_is_described_once() {
        let made = result::<LinkResponse>(&Bounds::default()).to_value();
        assert_eq!(made["properties"]["link"], json!({"type": "object"}));
        let link = result::<LinkView>(&Bounds::default()).to_value();
        assert!(link["properties"]["slug"].is_object());
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
