//! Links, one or many: reading, listing, searching and counting.

use slugline_application::LinkService;
use slugline_contract::{
    CountLinks, ExactUrlSearch, FoundLink, FoundLinks, GetLink, LinkCount, LinkList, LinkView,
    ListLinks, ListTags, SearchLinks, TagList, TagView,
};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    conditional::{IfNoneMatch, NotModified, Tagged},
    input::{CalledBy, Context, Links},
    operation::operations,
    reply::{Either, Headed, Json},
};

operations! { super::TAG;
    link_get: GET "/api/link/query" => get, LinkService::GET, [LinkNotFound],
        "Read a link",
        "Reads one link by its slug, expired or not. `ETag` names its version, for `If-Match` of a \
         later change.";
    link_list: GET "/api/link/list" => list, LinkService::LIST, [InvalidCursor, QueryTimeout],
        "List links",
        "Lists links page by page, newest first unless `sort` says otherwise. Pass `cursor` back \
         until `list_complete` is true. By `visits`, links with as many are ordered by slug, and \
         those without any come last, newest first; `ranking` says how far the order can be \
         trusted. That order needs the scope `analytics:read`, too.";
    link_search: GET "/api/link/search" => search, LinkService::SEARCH, [QueryTimeout],
        "Search links",
        "Finds links by text or destination, by slug; without `q` and `url` nothing is found, and \
         the header `Slugline-Note` says so.";
    link_search_url: POST "/api/link/search" => search_url, LinkService::SEARCH, [QueryTimeout],
        "Search links by a long destination",
        "Finds active links that lead to a destination which is too long for a query string.";
    link_count: GET "/api/link/count" => count, LinkService::COUNT, [QueryTimeout],
        "Count links",
        "Counts active links, or those that meet the conditions.";
    tag_list: GET "/api/link/tags" => tags, LinkService::TAGS, [QueryTimeout],
        "List tags",
        "Every tag with the number of its links, expired ones included, by name.";
}

async fn get(
    Links(links): Links,
    IfNoneMatch(known): IfNoneMatch,
    Query(query): Query<GetLink>,
) -> Result<Headed<Tagged<Either<Json<200, LinkView>, NotModified>>>, Failure> {
    let link = links.get(&query.validate()?).await?;
    let states = links.states([&link]).await?;
    let answer = if known.include(&link) && !states.may_change(&link) {
        Either::Right(NotModified)
    } else {
        Either::Left(Json(LinkView::of(&link, &states)))
    };
    Ok(Headed::cached_asking_again(Tagged::new(&link, answer)))
}

async fn list(
    context: Context,
    CalledBy(caller): CalledBy,
    Query(query): Query<ListLinks>,
) -> Result<Json<200, LinkList>, Failure> {
    let page = context.app.lists.list(&caller, query.validate()?).await?;
    let links = context.app.links.seen_by(&caller);
    let states = links.states(page.links()).await?;
    Ok(Json(LinkList::new(&query, &page, |link| {
        LinkView::of(link, &states)
    })))
}

async fn search(
    context: Context,
    Links(links): Links,
    Query(query): Query<SearchLinks>,
) -> Result<Headed<Json<200, Vec<FoundLink>>>, Failure> {
    let (search, size) = query.validate(&context.bounds)?;
    let note = FoundLinks::note_on(&search);
    let found = links.search(search, size).await?;
    let states = links.states(&found).await?;
    let FoundLinks { links, note } = FoundLinks::new(&found, &states, note);
    Ok(Headed::noted(note, Json(links)))
}

async fn search_url(
    context: Context,
    Links(links): Links,
    Body(body): Body<ExactUrlSearch>,
) -> Result<Json<200, Vec<FoundLink>>, Failure> {
    let (search, size) = body.validate(&context.bounds)?;
    let found = links.search(search, size).await?;
    let states = links.states(&found).await?;
    Ok(Json(FoundLinks::new(&found, &states, None).links))
}

async fn count(
    context: Context,
    Links(links): Links,
    Query(query): Query<CountLinks>,
) -> Result<Json<200, LinkCount>, Failure> {
    let search = query.validate(&context.bounds)?;
    Ok(Json(LinkCount {
        count: links.count(search).await?,
    }))
}

async fn tags(
    Links(links): Links,
    Query(query): Query<ListTags>,
) -> Result<Json<200, Vec<TagView>>, Failure> {
    let counts = links.tags(query.validate()?).await?;
    Ok(Json(TagList::new(&counts).tags))
}
