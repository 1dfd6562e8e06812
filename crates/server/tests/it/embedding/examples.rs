//! The examples run here: as programs of their own, each would link the whole service once more.

#[path = "../../../examples/observer.rs"]
mod observer;
#[path = "../../../examples/route.rs"]
mod route;
#[path = "../../../examples/service.rs"]
mod service;
#[path = "../../../examples/tool.rs"]
mod tool;
