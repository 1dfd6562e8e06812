//! The disk of the data folder.

use std::path::PathBuf;

use slugline_domain::ports::{DiskTrouble, DiskWatch};

/// Below this the operator should check the disk: visits of some hours, or a backup, need more.
#[cfg(unix)]
const FEW_BYTES: u64 = 64 << 20;

/// Reads the free space of the disk that holds a folder.
#[derive(Debug)]
pub(crate) struct FolderDisk {
    pub(crate) folder: PathBuf,
}

impl DiskWatch for FolderDisk {
    #[cfg(unix)]
    fn trouble(&self) -> Option<DiskTrouble> {
        use rustix::fs::{StatVfsMountFlags, statvfs};

        let Ok(disk) = statvfs(&self.folder) else {
            return Some(DiskTrouble::Unknown);
        };
        // `f_bavail`, because `f_bfree` includes the blocks reserved for root.
        let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        if disk.f_flag.contains(StatVfsMountFlags::RDONLY) {
            Some(DiskTrouble::ReadOnly)
        } else if free_bytes < FEW_BYTES {
            Some(DiskTrouble::NearlyFull { free_bytes })
        } else {
            None
        }
    }

    /// The standard library does not tell the space of a disk.
    #[cfg(not(unix))]
    fn trouble(&self) -> Option<DiskTrouble> {
        (!self.folder.is_dir()).then_some(DiskTrouble::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble_of(folder: impl Into<PathBuf>) -> Option<DiskTrouble> {
        let folder = folder.into();
        FolderDisk { folder }.trouble()
    }

    #[test]
    fn a_folder_that_is_not_there_is_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        assert_eq!(trouble_of(gone), Some(DiskTrouble::Unknown));
    }

    #[test]
    #[cfg(target_os = "linux")] // whose `/proc` is a disk without room
    fn a_disk_without_room_is_trouble() {
        let full = DiskTrouble::NearlyFull { free_bytes: 0 };
        assert_eq!(trouble_of("/proc"), Some(full));
        assert_eq!(
            full.to_string(),
            "the disk of the data folder has 0 MiB left"
        );
    }
}
