//! The domains of a day.
//!
//! Most instances have one domain, and then nothing of this is stored: a day whose record does not
//! name its domains had visits of the default one only. So days that were counted before there were
//! domains need not be counted again.

use std::collections::BTreeMap;

use slugline_analytics::columns::{Family, text_of};
use slugline_domain::{Choice, Dimension};

use super::segment::Scope;
use crate::{
    file::{chunk::Chunk, day_totals::Record, error::EngineError},
    format::{
        block::Block,
        chunk::Encoder,
        column::Column,
        dictionary::Dictionary,
        selection::{Selection, index, short},
    },
};

/// The columns in the record of all visits of a day with named domains: the domains that have totals,
/// in order; and one number, which is 1 if the day has visits of other domains, too.
const DOMAINS: &str = "with_totals";
const OTHERS: &str = "other_domains";

/// The least part of a day's rows that a domain with totals has. So there are at most this many of them.
/// To find the rows of a smaller domain takes longer than to count them.
const LEAST_PART: u64 = 256;

/// The most domains of a day that are counted. Only an import can bring more.
const MOST: usize = 4_096;

/// The rows of each domain of a day.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    of_each: BTreeMap<String, u64>,
    /// There were too many domains to count each.
    too_many: bool,
}

impl Rows {
    /// Adds the rows of a chunk.
    pub(crate) fn add(&mut self, chunk: &Chunk<'_>) -> Result<(), EngineError> {
        let slugs = chunk.texts(text_of(Dimension::Slug))?;
        if !slugs.dictionary.iter().any(|key| key.contains('/')) {
            self.add_some("", chunk.span().rows.into());
            return Ok(());
        }
        let block = with_domains(chunk)?;
        let (texts, codes) = (block.texts(column()), block.codes(Family::Domain));
        let mut of_texts = vec![0; texts.dictionary.len()];
        for row in 0..block.rows {
            of_texts[index(texts.number(codes.at(row)))] += 1;
        }
        for (domain, rows) in texts.dictionary.iter().zip(of_texts) {
            self.add_some(domain, rows);
        }
        Ok(())
    }

    fn add_some(&mut self, domain: &str, rows: u64) {
        if let Some(sum) = self.of_each.get_mut(domain) {
            *sum += rows;
        } else if self.of_each.len() < MOST {
            self.of_each.insert(domain.to_owned(), rows);
        } else {
            self.too_many = true;
        }
    }

    /// Returns whether all rows are of the default domain.
    pub(crate) fn are_of_default(&self) -> bool {
        !self.too_many && self.of_each.keys().all(String::is_empty)
    }

    /// The domains that get totals, in order: those with at least so many rows and with a certain part of
    /// all rows.
    pub(crate) fn with_totals(&self, least: u64) -> Vec<&str> {
        let all: u64 = self.of_each.values().sum();
        let is_large = |rows: u64| rows >= least && rows.saturating_mul(LEAST_PART) >= all;
        let large = self.of_each.iter().filter(|(_, rows)| is_large(**rows));
        large.map(|(domain, _)| domain.as_str()).collect()
    }

    /// Writes the names of these domains, which have totals.
    pub(crate) fn encode(&self, with_totals: &[&str], encoder: &mut Encoder) {
        let others = self.too_many || with_totals.len() < self.of_each.len();
        encoder.numbers(OTHERS, &[others.into()]);
        if !with_totals.is_empty() {
            encoder.texts(DOMAINS, with_totals.iter().copied());
        }
    }
}

/// The rows of a domain in a chunk.
pub(crate) fn rows_of(chunk: &Chunk<'_>, domain: &str) -> Result<Selection, EngineError> {
    let block = with_domains(chunk)?;
    let texts = block.texts(column());
    let wanted = texts.dictionary.iter().position(|text| text == domain);
    let wanted = wanted.map(short);
    let codes = block.codes(Family::Domain);
    Ok(codes.select(|entry| Some(texts.number(entry)) == wanted))
}

fn with_domains(chunk: &Chunk<'_>) -> Result<Block, EngineError> {
    let mut block = Block {
        rows: index(chunk.span().rows),
        ..Block::default()
    };
    block.load(chunk, Column::Text(column()), &Selection::All)?;
    Ok(block)
}

/// The column of domains.
pub(crate) fn column() -> usize {
    text_of(Dimension::Domain)
}

/// The domains of a day that has visits of named ones.
#[derive(Debug)]
pub(crate) struct Named {
    with_totals: Dictionary,
    others: bool,
}

/// The totals of the visits that a question about some domains has on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    In(Scope),
    /// There are no such visits.
    Nothing,
    /// There are no such totals.
    Missing,
}

impl Named {
    /// Reads the domains from the record of all visits of a day; `None` if there is only the default one.
    pub(crate) fn read(record: &Record<'_>) -> Result<Option<Self>, EngineError> {
        let Some(others) = record.numbers(OTHERS)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            with_totals: record.texts(DOMAINS)?.unwrap_or_default(),
            others: others != [0],
        }))
    }

    /// The number of domains that have totals.
    pub(crate) fn with_totals(&self) -> usize {
        self.with_totals.len()
    }

    /// Finds the totals of the domains that a question asks about. Visitors of two domains do not add up.
    pub(crate) fn find(&self, asked: &Choice<String>) -> Found {
        let admitted = self.with_totals.iter().enumerate();
        let admitted: Vec<usize> = admitted
            .filter(|(_, domain)| asked.admits(*domain))
            .map(|(position, _)| position)
            .collect();
        let asks_for = match asked {
            Choice::AnyOf(domains) => Some(domains.len()),
            Choice::NoneOf(_) => None,
        };
        match admitted[..] {
            _ if asks_for == Some(0) => Found::Nothing,
            [only] if asks_for == Some(1) => Found::In(Scope::of_domain(only)),
            _ if self.others => Found::Missing,
            [] => Found::Nothing,
            _ if admitted.len() == self.with_totals.len() => Found::In(Scope::ALL),
            [only] => Found::In(Scope::of_domain(only)),
            _ => Found::Missing,
        }
    }
}

/// Finds the totals of a day that has visits of the default domain only.
pub(crate) fn find_in_default(asked: &Choice<String>) -> Found {
    if asked.admits("") {
        Found::In(Scope::ALL)
    } else {
        Found::Nothing
    }
}
