//! Visits as the text of a file, part by part.

use std::{borrow::Cow, io::Write};

use flate2::{Compression, write::GzEncoder};
use slugline_domain::{Derivation, StoredVisit, VisitColumn, VisitColumnKind};

use super::{
    VisitFile, VisitFormat,
    file::{Column, columns_of},
};
use crate::table_rows::{guarded, text_of_rows};

/// A text that is being built. It holds no visit, so it takes as little memory for many visits
/// as for few.
#[derive(Debug)]
pub struct VisitText {
    format: VisitFormat,
    columns: Vec<(&'static str, Column)>,
    packer: Option<GzEncoder<Vec<u8>>>,
    begun: bool,
    written: u64,
}

impl VisitText {
    /// Begins a file of visits with these columns of texts.
    pub fn new(VisitFile { format, gzip }: VisitFile, texts: &[VisitColumn]) -> Self {
        // Files compress to a tenth at any level; the fastest leaves processors to redirects.
        let packer = gzip.then(|| GzEncoder::new(Vec::new(), Compression::fast()));
        Self {
            format,
            columns: columns_of(texts),
            packer,
            begun: false,
            written: 0,
        }
    }

    /// Returns the text of some visits. The first text begins the file, also without visits.
    pub fn part(&mut self, visits: &[StoredVisit]) -> Vec<u8> {
        self.written += u64::try_from(visits.len()).unwrap_or(u64::MAX);
        let mut text = match self.format {
            VisitFormat::Csv if !self.begun => {
                let names = self.columns.iter().map(|(name, _)| *name);
                text_of_rows([names].into_iter())
            }
            VisitFormat::Csv | VisitFormat::Ndjson => Vec::new(),
        };
        self.begun = true;
        match self.format {
            VisitFormat::Csv => text.extend(text_of_rows(visits.iter().map(|visit| {
                let columns = self.columns.iter();
                columns.map(|(_, column)| self.cell(visit, *column))
            }))),
            VisitFormat::Ndjson => {
                for visit in visits {
                    self.line(visit, &mut text);
                }
            }
        }
        self.packed(text)
    }

    /// Returns the text after the visits.
    pub fn end(self) -> Vec<u8> {
        let Some(packer) = self.packer else {
            return Vec::new();
        };
        packer.finish().expect("memory takes every text")
    }

    /// Returns the number of visits so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn packed(&mut self, text: Vec<u8>) -> Vec<u8> {
        let Some(packer) = &mut self.packer else {
            return text;
        };
        packer.write_all(&text).expect("memory takes every text");
        std::mem::take(packer.get_mut())
    }

    fn line(&self, visit: &StoredVisit, line: &mut Vec<u8>) {
        let mut separator = b'{';
        for (name, column) in &self.columns {
            line.push(separator);
            separator = b',';
            text(line, name);
            line.push(b':');
            match column {
                Column::Link => text(line, &visit.link),
                // Many programs read numbers as floating-point ones, and round these.
                Column::Visitor => text(line, &visit.visitor.to_string()),
                Column::Text(position, kind) if !is_number(*kind) => {
                    text(line, visit.texts.get(*position));
                }
                Column::Derived(derivation) => text(line, &self.derived(visit, derivation)),
                Column::Text(..) | Column::Time | Column::Interval | Column::Coherent => {
                    line.extend(self.cell(visit, *column).as_bytes());
                }
            }
        }
        line.extend(b"}\n");
    }

    /// Returns a member as a cell. Numbers are no formulas, whatever they begin with.
    fn cell(&self, visit: &StoredVisit, column: Column) -> String {
        match column {
            Column::Time => visit.at.get().to_string(),
            Column::Link => guarded(&visit.link).into_owned(),
            Column::Text(position, kind) if is_number(kind) => visit.texts.get(position).to_owned(),
            Column::Text(position, _) => guarded(visit.texts.get(position)).into_owned(),
            Column::Derived(derivation) => guarded(&self.derived(visit, derivation)).into_owned(),
            Column::Visitor => visit.visitor.to_string(),
            Column::Interval => visit.interval.get().to_string(),
            Column::Coherent => u8::from(visit.coherent).to_string(),
        }
    }

    /// Returns what follows from the texts of a visit.
    fn derived<'v>(&self, visit: &'v StoredVisit, derivation: &Derivation) -> Cow<'v, str> {
        derivation.value(|source| {
            let mut columns = self.columns.iter();
            let found = columns.find(|(name, _)| *name == source.column());
            match found {
                Some((_, Column::Text(position, _))) => visit.texts.get(*position).into(),
                Some(_) | None => "".into(),
            }
        })
    }
}

fn is_number(kind: VisitColumnKind) -> bool {
    matches!(kind, VisitColumnKind::Degrees)
}

fn text(line: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(line, text).expect("a text is plain data");
}
