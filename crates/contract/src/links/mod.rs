//! Links on the wire.

mod check;
mod circle;
mod create;
mod cursor;
mod edit;
mod export;
mod export_text;
mod import;
mod import_body;
mod import_names;
mod import_stream;
mod link_text;
mod list;
mod listing;
mod members;
mod one;
mod patch;
mod search;
mod suggest;
mod table;
mod table_rows;
mod update;
mod view;

#[cfg(feature = "fuzzing")]
pub(crate) use self::table::fuzz_cells;
pub use self::{
    check::{CheckLinks, LinkCheck, LinkChecks},
    create::CreateLink,
    edit::EditLink,
    export::{ExportLinks, LinkExport, TransferFormat},
    export_text::ExportText,
    import::{
        FailedImport, ImportItem, ImportLimit, ImportLink, ImportLinks, LinkImport, LinksToImport,
    },
    import_stream::{ReadLink, ReadLinksError, read_links},
    list::{LinkList, ListLinks},
    listing::{Sort, Status},
    members::LinkMembers,
    one::{DeleteLink, DeletedLink, GetLink},
    patch::PatchLink,
    search::{
        CountLinks, ExactUrlSearch, FoundLink, FoundLinks, LinkCount, SearchLinks, TagList, TagView,
    },
    suggest::{FirstText, PreviewSuggestion, SlugSuggestion, SuggestPreview, SuggestSlug},
    update::{LinkUpdate, LinkUpdated, UpdateLink},
    view::{ExportedLink, LinkResponse, LinkUpserted, LinkView, Mask, StoredHash, UpsertStatus},
};
