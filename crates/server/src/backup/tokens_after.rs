//! The tokens that are in force after a restore, in words.

use crate::{settings::Settings, site_token};

/// The site token of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// The backup has none.
    None,
    /// The backup has one, and the restore left it there.
    LeftOut,
    /// The restore took it over.
    TakenOver,
}

/// A line about the site token, and one about named tokens if there are any. The service may get
/// other settings than this command.
pub(super) fn text(settings: &Settings, carried: Carried, named: u64) -> String {
    let file = site_token::file_in(&settings.data_dir);
    let shown = file.display();
    let unless = "unless SLUGLINE_SITE_TOKEN gives another";
    let mut text = if settings.site_token.is_some() {
        "site token: SLUGLINE_SITE_TOKEN gives it, as before".to_owned()
    } else if carried == Carried::TakenOver {
        format!("site token: the backup's, now in {shown}, {unless}")
    } else if file.exists() {
        format!("site token: the one in {shown} stays, {unless}")
    } else {
        format!("site token: none in {shown}; the next start makes a new one, {unless}")
    };
    if carried == Carried::LeftOut {
        text.push_str("; the backup's own was left out, and --with-site-token takes it over");
    }
    if named > 0 {
        let list = "also those that were revoked since; `slugline token list` shows them";
        text = format!("{text}\nnamed tokens: {named} came with the links, {list}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_site_token_in_force_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let given = ("SLUGLINE_SITE_TOKEN", "correct-horse-battery");
        let said = |carried, more: &[_]| {
            let pairs = [("SLUGLINE_DATA_DIR", path)].into_iter();
            let pairs = pairs.chain(more.iter().copied());
            text(&Settings::from_pairs(pairs).unwrap(), carried, 0)
        };
        assert!(said(Carried::None, &[]).contains("the next start makes a new one"));
        let left = said(Carried::LeftOut, &[]);
        assert!(left.contains("--with-site-token takes it over"), "{left}");
        fs::write(site_token::file_in(folder.path()), "kept-in-the-folder").unwrap();
        assert!(said(Carried::None, &[]).contains("stays"));
        assert!(said(Carried::TakenOver, &[]).contains("the backup's, now in"));
        let said = said(Carried::TakenOver, &[given]);
        assert!(said.contains("SLUGLINE_SITE_TOKEN gives it"), "{said}");
        assert!(!said.contains(given.1));
    }
}
