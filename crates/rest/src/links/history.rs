//! Former versions and deleted links, and the way back.

use slugline_application::LinkService;
use slugline_contract::{LinkChanged, LinkHistory, ListTrash, RestoreLink, SlugOrId, TrashList};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    conditional::Tagged,
    input::{Changes, Links, PublicUrl},
    operation::operations,
    reply::Json,
};

operations! { super::TAG;
    link_history: GET "/api/link/history" => history, LinkService::HISTORY, [LinkNotFound],
        "List the versions of a link",
        "The versions of a link that are kept, the newest first: when each began, who made it, and \
         the members that changed, old and new. `slug` names a link that is there, `id` also one \
         in the trash. `SLUGLINE_HISTORY_VERSIONS` says how many are kept.";
    link_trash: GET "/api/link/trash" => trash, LinkService::TRASH, [InvalidCursor],
        "List deleted links",
        "The links that can be brought back, the one deleted last first, and until when. An \
         expired link whose slug a new link took is among them. Pass `cursor` back until \
         `list_complete` is true. `SLUGLINE_TRASH_DAYS` says how long links are kept.";
    link_restore: POST "/api/link/restore" => restore, LinkService::RESTORE,
        [LinkNotFound, VersionNotFound, SlugTaken, LinkModified],
        "Bring a link back",
        "Brings back a deleted link, or gives a link what an older version of it had, the password \
         included. Either way that is a new version, and visits that were counted stay counted. \
         Without `version` it undoes the deletion or the last change, but no return to an older \
         version, so it is safe to send again. If another link has the slug of a deleted one by \
         now, send `slug`.";
}

async fn history(
    Links(links): Links,
    Query(query): Query<SlugOrId>,
) -> Result<Json<200, LinkHistory>, Failure> {
    let (link, versions) = links.history(&query.validate()?).await?;
    let shown = LinkHistory::new(&link, &versions, links.keeping());
    Ok(Json(shown))
}

async fn trash(
    Links(links): Links,
    Query(query): Query<ListTrash>,
) -> Result<Json<200, TrashList>, Failure> {
    let page = links.trash(query.validate()?).await?;
    Ok(Json(TrashList::new(&query, &page, links.keeping())))
}

async fn restore(
    Changes(links): Changes,
    PublicUrl(base): PublicUrl,
    Body(body): Body<RestoreLink>,
) -> Result<Tagged<Json<200, LinkChanged>>, Failure> {
    let restore = body.validate()?;
    let link = links.restore(&restore).await?;
    let shown = LinkChanged::new(&link, false, base.as_str());
    Ok(Tagged::seen(&link, Json(shown)))
}
