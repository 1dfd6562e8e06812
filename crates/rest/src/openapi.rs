//! The pieces of the OpenAPI document that operations share.

use aide::{
    generate::GenContext,
    openapi::{
        Header, HeaderStyle, MediaType, Parameter, ParameterData, ParameterSchemaOrContent,
        PathStyle, ReferenceOr, RequestBody, Response, SchemaObject,
    },
};
use indexmap::IndexMap;
use schemars::{Schema, json_schema};
use slugline_contract::{ProblemBody, SeenLinkView};

/// The statuses of an answer, each with what the document says about it.
pub type Responses = Vec<(u16, Response)>;

/// Documents one status, with the media types of its body.
pub(crate) fn documented<const N: usize>(
    status: u16,
    description: &str,
    content: [(&str, MediaType); N],
) -> Responses {
    let content = content.map(|(media_type, content)| (media_type.to_owned(), content));
    let response = Response {
        description: description.into(),
        content: content.into(),
        ..Response::default()
    };
    vec![(status, response)]
}

/// The content of a JSON body with this schema.
pub(crate) fn json(schema: Schema) -> MediaType {
    MediaType {
        schema: Some(described(schema)),
        ..MediaType::default()
    }
}

pub(crate) fn described(json_schema: Schema) -> SchemaObject {
    SchemaObject {
        json_schema,
        external_docs: None,
        example: None,
    }
}

/// The content of a body that no schema describes further.
pub(crate) fn text() -> MediaType {
    json(json_schema!({"type": "string"}))
}

/// Documents an error with one of these codes.
pub(crate) fn problem(context: &mut GenContext, codes: &[&str]) -> Response {
    let description = format!("Error: {}", codes.join(", "));
    let schema = json(context.schema.subschema_for::<ProblemBody<SeenLinkView>>());
    Response {
        description,
        content: [("application/json".to_owned(), schema)].into(),
        ..Response::default()
    }
}

/// A parameter, wherever it stands.
pub(crate) fn parameter(
    name: &str,
    description: Option<String>,
    required: bool,
    schema: Schema,
) -> ParameterData {
    ParameterData {
        name: name.into(),
        description,
        required,
        deprecated: None,
        format: ParameterSchemaOrContent::Schema(described(schema)),
        example: None,
        examples: IndexMap::default(),
        explode: None,
        extensions: IndexMap::default(),
    }
}

/// A header of a request.
pub(crate) fn header_parameter(name: &str, description: &str) -> ReferenceOr<Parameter> {
    let schema = json_schema!({"type": "string"});
    ReferenceOr::Item(Parameter::Header {
        parameter_data: parameter(name, Some(description.into()), false, schema),
        style: HeaderStyle::Simple,
    })
}

/// Adds a header, whose value is a text, to an answer.
pub(crate) fn add_header(response: &mut Response, name: &str, description: &str) {
    let schema = described(json_schema!({"type": "string"}));
    let header = Header {
        description: Some(description.into()),
        style: HeaderStyle::Simple,
        required: false,
        deprecated: None,
        format: ParameterSchemaOrContent::Schema(schema),
        example: None,
        examples: IndexMap::default(),
        extensions: IndexMap::default(),
    };
    response
        .headers
        .insert(name.into(), ReferenceOr::Item(header));
}

/// Adds the header `ETag` to an answer.
pub(crate) fn tag_header(response: &mut Response) {
    add_header(response, "ETag", "The version of the link.");
}

/// Returns the parts of a path in braces.
pub(crate) fn path_parameters(path: &str) -> impl Iterator<Item = ReferenceOr<Parameter>> {
    let names = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    names.map(|(name, _)| {
        let text = json_schema!({"type": "string", "minLength": 1});
        ReferenceOr::Item(Parameter::Path {
            parameter_data: parameter(name, None, true, text),
            style: PathStyle::default(),
        })
    })
}

/// A body of one of these media types; none if there are none.
pub(crate) fn body_of(media_types: &[&str]) -> Option<ReferenceOr<RequestBody>> {
    let content: IndexMap<String, MediaType> = media_types
        .iter()
        .map(|media_type| ((*media_type).to_owned(), MediaType::default()))
        .collect();
    let body = RequestBody {
        content,
        ..RequestBody::default()
    };
    (!media_types.is_empty()).then_some(ReferenceOr::Item(body))
}
