//! A terminal that a program writes to.

use std::fs::File;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Our end, which reads what the program writes, and the program's end.
pub(crate) fn open() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().write(true).open(theirs).unwrap();
    (File::from(ours), terminal)
}
