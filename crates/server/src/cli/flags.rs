//! Settings as flags of commands.

use clap::{Arg, Command};

use crate::settings::{CATALOGUE, Group, Setting};

/// The settings of these names, in the order of the catalogue.
pub(super) fn these(names: &[&[&str]]) -> impl Iterator<Item = &'static Setting> {
    CATALOGUE
        .iter()
        .filter(move |setting| names.iter().any(|names| names.contains(&setting.name)))
}

/// Adds the settings to a command. If they need more than one screen, its short help shows only
/// the first group.
pub(super) fn with(command: Command, settings: impl Iterator<Item = &'static Setting>) -> Command {
    /// Settings that fit on a screen.
    const SCREEN: usize = 12;

    let settings: Vec<&Setting> = settings.collect();
    let crowded = settings.len() > SCREEN;
    let shown = settings.iter().flat_map(|setting| {
        let shortened = crowded && setting.group != Group::Basics;
        let default = match setting.default {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        let value = Arg::new(setting.flag())
            .long(setting.flag())
            .value_name("VALUE")
            .help_heading(setting.group.heading())
            .hide_short_help(shortened)
            .help(format!("{}{default}", setting.meaning));
        let file = Arg::new(setting.file_flag())
            .long(setting.file_flag())
            .value_name("FILE")
            .help_heading(setting.group.heading())
            .hide_short_help(crowded)
            .help("File that holds it, out of sight of others");
        [Some(value), setting.secret.then_some(file)]
    });
    command.args(shown.flatten())
}
