//! The folder of the databases and the minted token.

use std::{fs, path::Path};

use anyhow::Context;

/// Makes sure the folder exists and can be written. A new one is readable by
/// its owner only: it holds every link, and keys to visitors' identities.
pub(crate) fn prepare(folder: &Path) -> anyhow::Result<()> {
    let fix = || {
        format!(
            "SLUGLINE_DATA_DIR is {:?}, which cannot be written; name another folder or mend its rights",
            folder.display().to_string()
        )
    };
    create(folder).with_context(fix)?;
    let probe = folder.join(".slugline-probe");
    fs::write(&probe, b"").with_context(fix)?;
    fs::remove_file(&probe).with_context(fix)
}

#[cfg(unix)]
fn create(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_with_its_parents_and_kept_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        prepare(&folder).unwrap();
        prepare(&folder).expect("an existing folder is fine");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
                0o700
            );
        }
        assert_eq!(
            fs::read_dir(&folder).unwrap().count(),
            0,
            "nothing is left behind"
        );
    }

    #[test]
    fn an_unusable_folder_names_the_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = prepare(&file.path().join("data")).unwrap_err();
        assert!(
            format!("{error:#}").starts_with("SLUGLINE_DATA_DIR is "),
            "{error:#}"
        );
    }
}
