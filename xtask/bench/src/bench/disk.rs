//! Measures the durable writes of the disk per second.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;

/// Repeatedly appends 4 KiB to a file in this folder, each time with `fdatasync`, and returns
/// the number per second.
pub(crate) fn durable_appends(folder: &Path, time: Duration) -> Result<f64> {
    let path = folder.join("appends");
    let mut file = File::create(&path)?;
    let began = Instant::now();
    let mut appends = 0_u32;
    while began.elapsed() < time {
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        appends += 1;
    }
    let rate = f64::from(appends) / began.elapsed().as_secs_f64();
    drop(file);
    fs::remove_file(path)?;
    Ok(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_are_counted_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let rate = durable_appends(folder.path(), Duration::from_millis(20)).unwrap();
        assert!(rate > 0.0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
