//! `GET /api/link/tags`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{ListTags, TagList, TagView};
use slugline_httpkit::{Code, Failure};

use crate::{
    extract::{Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/tags",
        id: "tag_list",
        tag: super::TAG,
        summary: "List tags",
        description: "Every tag with the number of its links, expired ones included, by name.",
        needs: LinkService::TAGS,
        fails: &[Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    Links(links): Links,
    Query(query): Query<ListTags>,
) -> Result<Json<200, Vec<TagView>>, Failure> {
    let counts = links.tags(query.validate()?).await?;
    Ok(Json(TagList::new(&counts).tags))
}
