//! `cargo xtask extrapolate`: what measured figures would be with more visits than anybody measured.
//!
//! It reads tables of a document, so that the figures are in one place.

mod fit;
mod measured;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{bench::table::Table, numbers::whole};
use fit::Fit;
use measured::measured;

/// The document and the number of visits.
#[derive(Clone, Debug, Args)]
pub(crate) struct Wish {
    /// A document with tables whose first row is `visits` and numbers of visits.
    #[arg(default_value = "docs/scaling.md")]
    file: PathBuf,
    /// The number of visits to extrapolate to.
    #[arg(long, default_value_t = 1_000_000_000)]
    to: u32,
}

/// Prints the fit of each row of the document's tables, with its errors.
pub(crate) fn run(wish: &Wish) -> Result<()> {
    let text = fs::read_to_string(&wish.file);
    let text = text.with_context(|| format!("cannot read {}", wish.file.display()))?;
    let rows = measured(&text)?;
    ensure!(
        !rows.is_empty(),
        "{} has no table whose first row is `visits` and numbers of visits",
        wish.file.display()
    );
    let to = format!("at {}", whole(wish.to.into()));
    let mut table = Table::new([
        "",
        "fit, v in visits",
        "points off by",
        "largest, from the others",
        &to,
    ]);
    for (name, points) in rows {
        let fit = Fit::best(&points);
        let fit = fit.with_context(|| format!("{name} needs three figures above 0"))?;
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        table.row([
            name,
            fit.law.to_string(),
            percent(fit.residual),
            format!("{:+.1} %", fit.held_out * 100.0),
            rough(fit.law.at(wish.to.into())),
        ]);
    }
    print!("{table}");
    println!(
        "points off by: the largest distance of a measured figure from the fit; largest, from the \
         others: how far a fit of the other figures is from the one with the most visits"
    );
    Ok(())
}

/// Two digits are more than an extrapolation knows.
fn rough(figure: f64) -> String {
    if figure < 10.0 {
        return format!("{figure:.1}");
    }
    let step = 10f64.powf(figure.log10().floor() - 1.0);
    whole((figure / step).round() * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extrapolated_figures_have_two_digits() {
        assert_eq!(rough(0.123), "0.1");
        assert_eq!(rough(1_234_567.0), "1,200,000");
        assert_eq!(rough(46.4), "46");
    }
}
