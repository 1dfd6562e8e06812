//! The store against real databases.

mod contract; // the port's contract suite on every back end
mod durability; // what must survive a restart
