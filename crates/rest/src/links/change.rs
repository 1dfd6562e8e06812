//! Changes of links: `/api/link/edit`, `/api/link/delete` and `/api/link/batch`.

use slugline_application::LinkService;
use slugline_contract::{
    BatchLinks, Deletion, EditLink, LinkBatch, LinkChanged, LinkDeletion, PatchLink,
};
use slugline_httpkit::{Failure, report};

use crate::{
    body::Body,
    conditional::{IfMatch, Tagged},
    input::{Changes, Context, PublicUrl},
    operation::operations,
    reply::{Either, Json, NoContent},
};

operations! { super::TAG;
    link_edit: PUT "/api/link/edit" => edit, LinkService::EDIT,
        [LinkNotFound, LinkModified, PreconditionFailed, Busy],
        "Replace a link",
        "Replaces everything a link holds but its slug, id and creation: members that are left out \
         are removed, except those that the schema of the body names as kept. To change some \
         members and keep the others, use PATCH. With `validateOnly` nothing is stored, and the \
         status is 200.";
    link_patch: PATCH "/api/link/edit" => patch, LinkService::EDIT,
        [LinkNotFound, LinkModified, PreconditionFailed, Busy],
        "Change some members of a link",
        "Members that are left out are kept, `null` removes a member. Without `If-Match`, a change \
         that somebody else makes at the same time is kept, too. With `validateOnly` nothing is \
         stored.";
    link_delete: POST "/api/link/delete" => delete, LinkService::DELETE,
        [PreconditionFailed, LinkModified],
        "Delete a link",
        "Deletes a link, whose slug is free at once. `/api/link/restore` brings it back while it \
         is in the trash. `purge: true` erases it with all of its versions, also if it is in the \
         trash already, and needs the scope `admin`. Deleting a slug that no link has succeeds \
         too, unless `If-Match` asks for one.";
    link_batch: POST "/api/link/batch" => batch, LinkService::EDIT, [InvalidCursor, QueryTimeout],
        "Change or delete many links",
        "Deletes links, adds or removes tags, sets or removes the expiry: of up to 500 `slugs`, or \
         of the links that meet a `filter`, 500 by slug at a time; pass `cursor` back until \
         `list_complete` is true. Each link is changed wholly or not at all, one by one: there is \
         a result for each, and what was done before a failure stays. Sending a request again is \
         harmless; links that are that way already are `unchanged`, or `notFound` when they were \
         to be deleted. `dryRun` changes nothing and tells what would happen.";
}

async fn edit(
    context: Context,
    Changes(links): Changes,
    PublicUrl(base): PublicUrl,
    IfMatch(meant): IfMatch,
    Body(body): Body<EditLink>,
) -> Result<Tagged<Either<Json<201, LinkChanged>, Json<200, LinkChanged>>>, Failure> {
    let mut edit = body.validate(&context.bounds.seen_at(&base))?;
    edit.precondition = meant;
    let link = links.edit(&edit).await?.link;
    let shown = LinkChanged::new(&link, edit.validate_only, base.as_str());
    Ok(if edit.validate_only {
        Tagged::without(Either::Right(Json(shown)))
    } else {
        Tagged::seen(&link, Either::Left(Json(shown)))
    })
}

async fn patch(
    context: Context,
    Changes(links): Changes,
    PublicUrl(base): PublicUrl,
    IfMatch(meant): IfMatch,
    Body(body): Body<PatchLink>,
) -> Result<Tagged<Json<200, LinkChanged>>, Failure> {
    let mut edit = body.validate(&context.bounds.seen_at(&base))?;
    edit.precondition = meant;
    let link = links.edit(&edit).await?.link;
    let shown = LinkChanged::new(&link, edit.validate_only, base.as_str());
    Ok(if edit.validate_only {
        Tagged::without(Json(shown))
    } else {
        Tagged::seen(&link, Json(shown))
    })
}

async fn delete(
    Changes(links): Changes,
    IfMatch(meant): IfMatch,
    Body(body): Body<LinkDeletion>,
) -> Result<NoContent, Failure> {
    match body.validate()? {
        Deletion::Delete(key) => drop(links.delete(&key, &meant).await?),
        Deletion::Purge(which) => drop(links.purge_if(&which, &meant).await?),
    }
    Ok(NoContent)
}

async fn batch(
    Changes(links): Changes,
    Body(body): Body<BatchLinks>,
) -> Result<Json<200, LinkBatch>, Failure> {
    let done = links.change_many(body.validate()?).await?;
    Ok(Json(LinkBatch::new(&body, done, report)))
}
