//! Links on the wire.

mod create;
mod cursor;
mod list;
mod one;
mod view;

pub use self::{
    create::CreateLink,
    list::{LinkList, ListLinks, Sort, Status},
    one::{DeleteLink, DeletedLink, GetLink},
    view::{LinkCreated, LinkView},
};
