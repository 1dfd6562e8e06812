//! What a person sees and does on pages that many tests visit. Selectors and waits stand here,
//! so that tests tell what happens.

mod analytics; // counters, the graph and panels of values
mod dialog; // questions above the page
mod editor; // the panel that makes or changes a link, with its rules
mod list; // links, their filters, and actions on many of them
mod shell; // what stands around every page, and the door

pub(super) use self::{
    analytics::{Analytics, Panel, number},
    dialog::Dialog,
    editor::{Editor, Rule},
    list::List,
    shell::{Door, Shell},
};
