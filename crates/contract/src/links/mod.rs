//! Links on the wire.

mod create;
mod cursor;
mod list;
mod listing;
mod one;
mod view;

pub use self::{
    create::CreateLink,
    list::{LinkList, ListLinks},
    listing::{Sort, Status},
    one::{DeleteLink, DeletedLink, GetLink},
    view::{LinkCreated, LinkView},
};
