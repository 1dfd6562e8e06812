//! New links, and texts that the dashboard suggests for one.

use slugline_application::{Created, LinkService};
use slugline_contract::{
    CreateLink, LinkResponse, LinkUpserted, PreviewSuggestion, SlugSuggestion, SuggestPreview,
    SuggestSlug, UpsertLink, asked,
};
use slugline_domain::SuggestedPreview;
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    conditional::{RequestKey, Tagged},
    input::{Changes, Context, PublicUrl},
    operation::operations,
    reply::{Either, Json},
};

/// A new link, or a link that is there or that nothing stored.
type Answer<T> = Tagged<Either<Json<201, T>, Json<200, T>>>;

operations! { super::TAG;
    link_create: POST "/api/link/create" => create, LinkService::CREATE,
        [SlugTaken, IdTaken, Busy, IdempotencyKeyReused, LinkDeleted],
        "Create a link",
        "Makes a short link. Leave `slug` out to get a free random one; a slug that an active link \
         owns is refused. Answered with 200 where nothing is stored: with `validateOnly`, or with \
         `reuse` if an active link without password and limit of visits is equal in every member; \
         `reuse` needs the scope `links:read`, too.";
    link_upsert: POST "/api/link/upsert" => upsert, LinkService::UPSERT,
        [SlugTaken, IdTaken, Busy, IdempotencyKeyReused, LinkDeleted],
        "Create a link unless its slug is in use",
        "Makes a link (201), or answers with the active link that has the slug (200), which stays \
         as it is; `status` says which. With `validateOnly` nothing is stored, and the status is \
         200.";
    slug_suggest: GET "/api/link/ai" => suggest_slug, LinkService::SUGGEST, [],
        "Suggest a slug",
        "Suggests a slug for a destination: the last part of its path, or its host. The slug is \
         valid, and may be taken.";
    preview_suggest: GET "/api/link/og-ai" => suggest_preview, LinkService::SUGGEST, [],
        "Suggest a preview",
        "Suggests a title and a text for the preview of a destination: its host, and a sentence \
         with its address.";
}

async fn create(
    context: Context,
    Changes(links): Changes,
    PublicUrl(base): PublicUrl,
    RequestKey(key): RequestKey,
    Body(body): Body<CreateLink>,
) -> Result<Answer<LinkResponse>, Failure> {
    let (mut new, terms) = body.validate(&context.bounds.seen_at(&base))?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let created = links.create(new, terms).await?;
    let shown = LinkResponse::new(&created, terms.validate_only, base.as_str());
    Ok(answer(&created, shown))
}

/// Says by the status what became of the link.
fn answer<T>(created: &Created, shown: T) -> Answer<T> {
    match created {
        Created::Stored(link) => Tagged::seen(link, Either::Left(Json(shown))),
        Created::Existing(link) => Tagged::seen(link, Either::Right(Json(shown))),
        Created::Valid(_) => Tagged::without(Either::Right(Json(shown))),
    }
}

async fn upsert(
    context: Context,
    Changes(links): Changes,
    PublicUrl(base): PublicUrl,
    RequestKey(key): RequestKey,
    Body(body): Body<UpsertLink>,
) -> Result<Answer<LinkUpserted>, Failure> {
    let (mut new, terms) = body.validate(&context.bounds.seen_at(&base))?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let upserted = links.upsert(new, terms).await?;
    let shown = LinkUpserted::new(&upserted, terms.validate_only, base.as_str());
    Ok(answer(&upserted, shown))
}

async fn suggest_slug(
    context: Context,
    Query(query): Query<SuggestSlug>,
) -> Result<Json<200, SlugSuggestion>, Failure> {
    let destination = query.validate(&context.bounds)?;
    let slug = context.app.links.suggested_slug(&destination);
    Ok(Json((&slug).into()))
}

async fn suggest_preview(
    context: Context,
    Query(query): Query<SuggestPreview>,
) -> Result<Json<200, PreviewSuggestion>, Failure> {
    let destination = query.validate(&context.bounds)?;
    let preview = SuggestedPreview::from_destination(&destination);
    Ok(Json((&preview).into()))
}
