//! Links on the wire.

mod batch;
mod change;
mod check;
mod create;
mod cursor;
mod entity_tag;
mod explain;
mod explanation;
mod export;
mod history;
mod import;
mod import_body;
mod import_link;
mod import_stream;
pub(crate) mod key;
mod link_text;
mod list;
mod listing;
mod member;
mod member_reader;
mod members;
mod moving;
mod one;
mod parts;
mod read_links_error;
mod routing;
mod search;
mod shown_routing;
mod status;
mod suggest;
mod table;
mod trash;
mod view;

#[cfg(feature = "fuzzing")]
pub(crate) use self::table::fuzz_cells;
pub use self::{
    batch::{
        BatchActionName, BatchFilter, BatchLinks, BatchResult, BatchTotals, LinkBatch, Outcome,
    },
    change::{EditLink, LinkUpdated, PatchLink, UpdateLink},
    check::{CheckLinks, LinkCheck, LinkChecks},
    create::{CreateLink, UpsertLink},
    entity_tag::{KnownVersions, entity_tag, if_match, if_none_match},
    explain::{ExplainLink, ImaginedVisitor},
    explanation::{AnswerName, ChoiceName, GateName, LinkExplanation, MissedRuleView, VisitorView},
    export::{ExportLinks, ExportText, LinkExport, TransferFormat},
    history::{DeletionView, LinkHistory, MemberChange, VersionView},
    import::{ImportItem, ImportLimit, ImportLinks, ImportTerms, LinkImport, left_out},
    import_body::LinksToImport,
    import_link::ImportLink,
    import_stream::{LinkFile, read_links},
    key::SlugOrId,
    list::{LinkList, ListLinks, ListedLink, RankingView},
    listing::{Sort, Status},
    members::{LinkMembers, kept_members},
    moving::ReadLink,
    one::{DeleteLink, DeletedLink, GetLink},
    read_links_error::ReadLinksError,
    search::{
        CountLinks, ExactUrlSearch, FoundLink, FoundLinks, LinkCount, ListTags, SearchLinks,
        TagList, TagView,
    },
    status::{BrokenView, StatusName},
    suggest::{FirstText, PreviewSuggestion, SlugSuggestion, SuggestPreview, SuggestSlug},
    trash::{Deletion, LinkDeletion, ListTrash, RestoreLink, TrashList, TrashedLink, Undo},
    view::{
        ExportedLink, Face, LinkChanged, LinkResponse, LinkUpserted, LinkView, Mask, Note,
        SeenLinkView, StoredHash, UpsertStatus,
    },
};
