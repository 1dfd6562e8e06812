//! Links, one or many: reading, listing, searching and counting.

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{
    Code, CountLinks, ExactUrlSearch, FoundLink, FoundLinks, GetLink, LinkCount, LinkList,
    LinkView, ListLinks, ListTags, SearchLinks, TagList, TagView,
};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    conditional::{IfNoneMatch, NotModified, Tagged},
    input::{CalledBy, Context, Links},
    operation::{Operation, OperationSpec},
    reply::{Cached, Either, Json},
};

/// `GET /api/link/query`
pub(crate) fn link_get() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "Read a link",
        description: "Reads one link by its slug, expired or not. `ETag` names its version, for \
                      `If-Match` of a later change.",
        fails: &[Code::LinkNotFound],
        ..OperationSpec::new(Method::GET, "/api/link/query", "link_get", LinkService::GET)
    };
    Operation::new(spec, get)
}

async fn get(
    Links(links): Links,
    IfNoneMatch(known): IfNoneMatch,
    Query(query): Query<GetLink>,
) -> Result<Cached<Tagged<Either<Json<200, LinkView>, NotModified>>>, Failure> {
    let link = links.get(&query.validate()?).await?;
    let states = links.states([&link]).await?;
    let answer = if known.include(&link) && !states.may_change(&link) {
        Either::Right(NotModified)
    } else {
        Either::Left(Json(LinkView::of(&link, &states)))
    };
    Ok(Cached::asking_again(Tagged::new(&link, answer)))
}

/// `GET /api/link/list`
pub(crate) fn link_list() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "List links",
        description: "Lists links page by page, newest first unless `sort` says otherwise. \
                      Pass `cursor` back until `list_complete` is true. By `visits`, links with \
                      as many are ordered by slug, and those without any come last, newest \
                      first; `ranking` says how far the order can be trusted. That order needs \
                      the scope `analytics:read`, too.",
        fails: &[Code::InvalidCursor, Code::QueryTimeout],
        ..OperationSpec::new(
            Method::GET,
            "/api/link/list",
            "link_list",
            LinkService::LIST,
        )
    };
    Operation::new(spec, list)
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

/// `GET /api/link/search`
pub(crate) fn link_search() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "Search links",
        description: "Finds links by text or destination, by slug; without `q` and `url` nothing \
                      is found.",
        fails: &[Code::QueryTimeout],
        ..OperationSpec::new(
            Method::GET,
            "/api/link/search",
            "link_search",
            LinkService::SEARCH,
        )
    };
    Operation::new(spec, search)
}

async fn search(
    context: Context,
    Links(links): Links,
    Query(query): Query<SearchLinks>,
) -> Result<Json<200, Vec<FoundLink>>, Failure> {
    let (search, size) = query.validate(&context.bounds)?;
    let found = links.search(search, size).await?;
    let states = links.states(&found).await?;
    Ok(Json(FoundLinks::new(&found, &states).links))
}

/// `POST /api/link/search`
pub(crate) fn link_search_url() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "Search links by a long destination",
        description: "Finds active links that lead to a destination which is too long for a query \
                      string.",
        fails: &[Code::QueryTimeout],
        ..OperationSpec::new(
            Method::POST,
            "/api/link/search",
            "link_search_url",
            LinkService::SEARCH,
        )
    };
    Operation::new(spec, search_url)
}

async fn search_url(
    context: Context,
    Links(links): Links,
    Body(body): Body<ExactUrlSearch>,
) -> Result<Json<200, Vec<FoundLink>>, Failure> {
    let (search, size) = body.validate(&context.bounds)?;
    let found = links.search(search, size).await?;
    let states = links.states(&found).await?;
    Ok(Json(FoundLinks::new(&found, &states).links))
}

/// `GET /api/link/count`
pub(crate) fn link_count() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "Count links",
        description: "Counts active links, or those that meet the conditions.",
        fails: &[Code::QueryTimeout],
        ..OperationSpec::new(
            Method::GET,
            "/api/link/count",
            "link_count",
            LinkService::COUNT,
        )
    };
    Operation::new(spec, count)
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

/// `GET /api/link/tags`
pub(crate) fn tag_list() -> Operation {
    let spec = OperationSpec {
        tag: super::TAG,
        summary: "List tags",
        description: "Every tag with the number of its links, expired ones included, by name.",
        fails: &[Code::QueryTimeout],
        ..OperationSpec::new(Method::GET, "/api/link/tags", "tag_list", LinkService::TAGS)
    };
    Operation::new(spec, tags)
}

async fn tags(
    Links(links): Links,
    Query(query): Query<ListTags>,
) -> Result<Json<200, Vec<TagView>>, Failure> {
    let counts = links.tags(query.validate()?).await?;
    Ok(Json(TagList::new(&counts).tags))
}
