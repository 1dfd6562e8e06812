//! Links on the wire.

mod check;
mod create;
mod cursor;
mod edit;
mod list;
mod listing;
mod members;
mod one;
mod patch;
mod search;
mod suggest;
mod view;

pub use self::{
    check::{CheckLinks, LinkCheck, LinkChecks},
    create::CreateLink,
    edit::EditLink,
    list::{LinkList, ListLinks},
    listing::{Sort, Status},
    one::{DeleteLink, DeletedLink, GetLink},
    patch::PatchLink,
    search::{
        CountLinks, ExactUrlSearch, FoundLink, FoundLinks, LinkCount, SearchLinks, TagList, TagView,
    },
    suggest::{PreviewSuggestion, SlugSuggestion, SuggestPreview, SuggestSlug},
    view::{LinkCreated, LinkUpserted, LinkView, UpsertStatus},
};
