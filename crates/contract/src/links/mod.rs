//! Links on the wire.

mod batch;
mod broken;
mod change;
mod check;
mod create;
mod cursor;
mod entity_tag;
mod explain;
mod explanation;
mod export;
mod export_text;
mod gathering;
mod history;
mod import;
mod import_body;
mod import_link;
mod import_names;
mod import_stream;
pub(crate) mod key;
pub(crate) mod key_or_id;
mod link_text;
mod list;
mod listing;
mod many_values;
mod member;
mod member_reader;
mod members;
mod one;
mod parts;
mod read_import;
mod restore;
mod routing;
mod search;
pub(crate) mod short_link;
mod shown_routing;
mod status_name;
mod suggest;
mod table;
mod trash;
mod undo;
mod view;

#[cfg(feature = "fuzzing")]
pub(crate) use self::table::fuzz_cells;
pub use self::{
    batch::{
        BatchActionName, BatchFilter, BatchLinks, BatchResult, BatchTotals, LinkBatch, Outcome,
    },
    broken::BrokenView,
    change::{EditLink, LinkUpdated, PatchLink, UpdateLink},
    check::{CheckLinks, LinkCheck, LinkChecks},
    create::{CreateLink, UpsertLink},
    entity_tag::{KnownVersions, entity_tag, if_match, if_none_match},
    explain::{ExplainLink, ImaginedVisitor},
    explanation::{AnswerName, ChoiceName, GateName, LinkExplanation, MissedRuleView, VisitorView},
    export::{ExportLinks, LinkExport, TransferFormat},
    export_text::ExportText,
    gathering::LinksToImport,
    history::{DeletionView, GetHistory, LinkHistory, MemberChange, VersionView},
    import::{
        FailedImport, ImportItem, ImportLimit, ImportLinks, ImportTerms, LinkImport, NO_DOMAIN,
        id_taken,
    },
    import_link::ImportLink,
    import_stream::{ReadLink, ReadLinksError, read_links},
    list::{LinkList, ListLinks, ListedLink, RankingView},
    listing::{Sort, Status},
    members::{LinkMembers, kept_members},
    one::{DeleteLink, DeletedLink, GetLink},
    restore::{Deletion, LinkDeletion, RestoreLink},
    search::{
        CountLinks, ExactUrlSearch, FoundLink, FoundLinks, LinkCount, ListTags, SearchLinks,
        TagList, TagView,
    },
    status_name::StatusName,
    suggest::{FirstText, PreviewSuggestion, SlugSuggestion, SuggestPreview, SuggestSlug},
    trash::{ListTrash, TrashList, TrashedLink},
    undo::Undo,
    view::{
        ExportedLink, Face, LinkChanged, LinkResponse, LinkUpserted, LinkView, Mask, SeenLinkView,
        StoredHash, UpsertStatus,
    },
};
