//! The tools that read and change links.

use std::sync::LazyLock;

use serde_json::Value;
use slugline_application::{LinkChecker, LinkService, Precondition};
use slugline_contract::{
    CheckLinks, CountLinks, CreateLink, DeleteLink, DeletedLink, FoundLink, FoundLinks, GetLink,
    Keyed, LinkChecks, LinkCount, LinkList, LinkResponse, LinkUpdated, LinkUpserted, LinkView,
    ListLinks, ListTags, SearchLinks, TagList, UpdateLink, UpsertLink, asked, kept_members,
};
use slugline_domain::Scope;
use slugline_httpkit::Failure;

use super::tool::{ToolContext, tools};

tools! {
    list_links: LinkService::LIST, Reads also needed_by_visits,
        "List links page by page, by default the newest first and none that is over. While \
         list_complete is false, call again with the returned cursor and the rest as it was. Rows \
         hold slug, url, tags, comment and expiration, with sort visits their visits, too; \
         get_link has the rest.";
    search_links: LinkService::SEARCH, Reads,
        "Find links by a text in slug, URL, comment or tags (q, without regard to case), or by \
         their destination (url, whatever its query string); tag and status narrow it down. \
         Without q and url nothing is found: use list_links. Returns slug, url, tags and comment; \
         get_link has the rest.";
    get_link: LinkService::GET, Reads,
        "Read one link by its slug, expired ones included. A password is shown as a mask only. \
         Fails with 404 when no link has the slug; list_links shows which exist.";
    count_links: LinkService::COUNT, Reads,
        "Count links: all that are not over, or those that meet the conditions, which are those of \
         search_links. Cheaper than listing links to count them.";
    list_tags: LinkService::TAGS, Reads,
        "List every tag with the number of links that have it, expired ones included, by name. \
         Pass a name as tag to list_links or search_links.";
    check_links: LinkChecker::CHECK, ReadsWorld,
        "Ask destinations whether they answer: of one link (slug), of links with a tag, or of all, \
         expired ones too; a few at a time, by slug, so it takes seconds. onlyBroken finds broken \
         links with the fewest calls. While list_complete is false, call again with the returned \
         cursor and the same tag. status is the final HTTP status, 0 for none; ok is true from 1 \
         to 399; error says why not. Only destinations on the public internet are asked.";
    create_link: LinkService::CREATE, Adds also needed_to_reuse,
        "Make a new short link to a URL. Only url is required; without slug a free random one is \
         chosen. Fails with 409 when an active link has the slug, and names a free one; \
         upsert_link returns the link in the way instead. With idempotencyKey a call that failed \
         may be repeated as it is. Returns the link, as get_link does, and its public address in \
         shortLink.";
    update_link: LinkService::EDIT, Replaces,
        &UPDATE_LINK;
    upsert_link: LinkService::UPSERT, AddsOnce,
        "Make a short link unless its slug is in use. status says created, or existing when an \
         active link has the slug: that link is returned unchanged, whatever you sent. To change \
         it use update_link.";
    delete_link: LinkService::DELETE, Removes,
        "Delete a link, by its slug: its short URL stops working at once. The answer holds the \
         deleted link, and `deleted: false` when no link has the slug; `undo` says where a person \
         can bring it back. Visits that were counted stay in the analytics.";
}

async fn list_links(
    context: ToolContext,
    input: ListLinks,
) -> Result<LinkList<FoundLink>, Failure> {
    let request = input.validate()?;
    let page = context.app.lists.list(&context.caller, request).await?;
    let states = context.links().states(page.links()).await?;
    let show = |link: &_| FoundLink::of(link, &states);
    Ok(LinkList::new(&input, &page, show))
}

/// The order by visits reads the access log.
fn needed_by_visits(arguments: &Value) -> Option<Scope> {
    (arguments["sort"] == "visits").then_some(Scope::AnalyticsRead)
}

async fn search_links(context: ToolContext, input: SearchLinks) -> Result<FoundLinks, Failure> {
    let (search, size) = input.validate(&context.bounds)?;
    let note = FoundLinks::note_on(&search);
    let reader = context.links();
    let links = reader.search(search, size).await?;
    let states = reader.states(&links).await?;
    Ok(FoundLinks::new(&links, &states, note))
}

async fn get_link(context: ToolContext, input: GetLink) -> Result<LinkView, Failure> {
    let links = context.links();
    let link = links.get(&input.validate()?).await?;
    let states = links.states([&link]).await?;
    Ok(LinkView::of(&link, &states))
}

async fn count_links(context: ToolContext, input: CountLinks) -> Result<LinkCount, Failure> {
    let search = input.validate(&context.bounds)?;
    let count = context.links().count(search).await?;
    Ok(LinkCount { count })
}

async fn list_tags(context: ToolContext, input: ListTags) -> Result<TagList, Failure> {
    let counts = context.links().tags(input.validate()?).await?;
    Ok(TagList::new(&counts))
}

async fn check_links(context: ToolContext, input: CheckLinks) -> Result<LinkChecks, Failure> {
    let check = input.validate(context.client.clone())?;
    let scope = check.scope.clone();
    let page = context.app.checks.check(&context.caller, check).await?;
    Ok(LinkChecks::new(&page, &scope))
}

async fn create_link(
    context: ToolContext,
    input: Keyed<CreateLink>,
) -> Result<LinkResponse, Failure> {
    let key = input.key()?;
    let (mut new, terms) = input.arguments.validate(&context.bounds_here())?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let created = context.changes().create(new, terms).await?;
    let (only, origin) = (terms.validate_only, context.base.as_str());
    Ok(LinkResponse::new(&created, only, origin))
}

/// The answer to a call that reuses links tells about another link.
fn needed_to_reuse(arguments: &Value) -> Option<Scope> {
    (arguments["reuse"] == true).then_some(Scope::LinksRead)
}

async fn upsert_link(
    context: ToolContext,
    input: Keyed<UpsertLink>,
) -> Result<LinkUpserted, Failure> {
    let key = input.key()?;
    let (mut new, terms) = input.arguments.validate(&context.bounds_here())?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let outcome = context.changes().upsert(new, terms).await?;
    let (only, origin) = (terms.validate_only, context.base.as_str());
    Ok(LinkUpserted::new(&outcome, only, origin))
}

async fn update_link(context: ToolContext, input: UpdateLink) -> Result<LinkUpdated, Failure> {
    let edit = input.validate(&context.bounds_here())?;
    let edited = context.changes().edit(&edit).await?;
    let (origin, undo) = (context.base.as_str(), context.undo());
    Ok(LinkUpdated::new(&edited, !input.is_partial(), origin, undo))
}

/// The description of `update_link`, with the members that a replacement keeps.
static UPDATE_LINK: LazyLock<String> = LazyLock::new(|| {
    format!(
        "Change a link. With `partial: true` members you leave out are kept. Without it the link \
        is REPLACED: members you leave out are removed and named in `removed`, except password, \
        unsafe, {}. `remove` names members to remove, in both cases. Never send the password mask \
        back. Slug, id and creation time cannot change. Fails with 404 when no link has the slug, \
        and with 409 when the link changed at the same time: read it again.",
        kept_members()
    )
});

async fn delete_link(context: ToolContext, input: DeleteLink) -> Result<DeletedLink, Failure> {
    let key = input.validate()?;
    let deleted = context.changes().delete(&key, &Precondition::None).await?;
    Ok(DeletedLink::new(&key, deleted.as_ref(), context.undo()))
}
