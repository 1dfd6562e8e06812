//! Former versions and deleted links, and the way back.

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{
    Code, GetHistory, LinkChanged, LinkHistory, ListTrash, RestoreLink, TrashList,
};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    conditional::Tagged,
    input::{Changes, Links, PublicOrigin},
    operation::{Operation, OperationSpec},
    reply::Json,
};

/// `GET /api/link/history`
pub(crate) fn link_history() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "List the versions of a link",
        description: "The versions of a link that are kept, the newest first: when each began, who \
                      made it, and the members that changed, old and new. `slug` names a link that \
                      is there, `id` also one in the trash. `SLUGLINE_HISTORY_VERSIONS` says how many \
                      are kept.",
        fails: &[Code::LinkNotFound],
        ..OperationSpec::new(
            Method::GET,
            "/api/link/history",
            "link_history",
            LinkService::HISTORY,
        )
    };
    Operation::new(spec, history)
}

async fn history(
    Links(links): Links,
    Query(query): Query<GetHistory>,
) -> Result<Json<200, LinkHistory>, Failure> {
    let (link, versions) = links.history(&query.validate()?).await?;
    let shown = LinkHistory::new(&link, &versions, links.keeping());
    Ok(Json(shown))
}

/// `GET /api/link/trash`
pub(crate) fn link_trash() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "List deleted links",
        description: "The links that can be brought back, the one deleted last first, and until \
                      when. An expired link whose slug a new link took is among them. Pass `cursor` \
                      back until `list_complete` is true. `SLUGLINE_TRASH_DAYS` says how long links \
                      are kept.",
        fails: &[Code::InvalidCursor],
        ..OperationSpec::new(
            Method::GET,
            "/api/link/trash",
            "link_trash",
            LinkService::TRASH,
        )
    };
    Operation::new(spec, trash)
}

async fn trash(
    Links(links): Links,
    Query(query): Query<ListTrash>,
) -> Result<Json<200, TrashList>, Failure> {
    let page = links.trash(query.validate()?).await?;
    Ok(Json(TrashList::new(&query, &page, links.keeping())))
}

/// `POST /api/link/restore`
pub(crate) fn link_restore() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "Bring a link back",
        description: "Brings back a deleted link, or gives a link what an older version of it had, the \
                      password included. Either way that is a new version, and visits that were \
                      counted stay counted. Without `version` it undoes the deletion or the last \
                      change, but no return to an older version, so it is safe to send again. If another link has the slug of a deleted one by now, send `slug`.",
        fails: &[
            Code::LinkNotFound,
            Code::VersionNotFound,
            Code::SlugTaken,
            Code::LinkModified,
        ],
        ..OperationSpec::new(
            Method::POST,
            "/api/link/restore",
            "link_restore",
            LinkService::RESTORE,
        )
    };
    Operation::new(spec, restore)
}

async fn restore(
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<RestoreLink>,
) -> Result<Tagged<Json<200, LinkChanged>>, Failure> {
    let restore = body.validate()?;
    let link = links.restore(&restore).await?;
    let shown = LinkChanged::new(&link, false, origin.as_str());
    Ok(Tagged::seen(&link, Json(shown)))
}
