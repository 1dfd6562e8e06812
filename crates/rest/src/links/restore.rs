//! `POST /api/link/restore`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, LinkChanged, RestoreLink};
use slugline_httpkit::Failure;

use crate::{
    conditional::Tagged,
    extract::{Body, Changes, PublicOrigin},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/restore",
        id: "link_restore",
        tag: super::TAG,
        summary: "Bring a link back",
        description: "Brings back a deleted link, or gives a link what an older version of it had, the \
                      password included. Either way that is a new version, and visits that were \
                      counted stay counted. Without `version` it undoes the deletion or the last \
                      change. If another link has the slug of a deleted one by now, send `slug`.",
        needs: LinkService::RESTORE,
        fails: &[
            Code::LinkNotFound,
            Code::VersionNotFound,
            Code::SlugTaken,
            Code::LinkModified,
        ],
    }
}

pub(crate) async fn handle(
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<RestoreLink>,
) -> Result<Tagged<Json<200, LinkChanged>>, Failure> {
    let link = links.restore(&body.validate()?).await?;
    let shown = LinkChanged::new(&link, origin.as_str());
    Ok(Tagged::seen(&link, Json(shown)))
}
