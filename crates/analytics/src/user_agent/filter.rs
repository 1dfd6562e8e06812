//! Finds the regular expressions that may match a text.

use aho_corasick::AhoCorasick;
use regex_filtered::{mapper, model::Model};
use regex_syntax::ParserBuilder;

/// Finds expressions that may match a text by the words in it, without
/// compiling them. `ua-parser` uses the same filter, but only together with
/// compiled expressions.
pub(super) struct Filter {
    words: AhoCorasick,
    /// Words → expressions that need no others.
    mapper: mapper::Mapper,
}

/// The parts of an expression that the filter needs.
pub(super) struct Source<'s> {
    pub(super) regex: &'s str,
    pub(super) ignores_case: bool,
}

impl Filter {
    /// Shorter words are in almost every text.
    const WORD_MIN_BYTES: usize = 2;

    pub(super) fn new<'s>(sources: impl Iterator<Item = Source<'s>>) -> Result<Self, String> {
        let mut mapper = mapper::Builder::new(Self::WORD_MIN_BYTES);
        for source in sources {
            let syntax = ParserBuilder::new()
                .case_insensitive(source.ignores_case)
                .build()
                .parse(source.regex)
                .map_err(|error| error.to_string())?;
            mapper.push(Model::new(&syntax).map_err(|error| error.to_string())?);
        }
        let (mapper, words) = mapper.build();
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words)
            .map_err(|error| error.to_string())?;
        Ok(Self { words, mapper })
    }

    /// The indexes of the expressions that may match, in ascending order.
    pub(super) fn candidates(&self, text: &str) -> Vec<usize> {
        let found = self.words.find_overlapping_iter(text);
        self.mapper
            .atom_to_re(found.map(|word| word.pattern().as_usize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_expressions_whose_words_are_there_may_match() {
        let source = |regex| Source {
            regex,
            ignores_case: false,
        };
        let sources = ["curl/", "(Chrome|Chromium)/[0-9]+", "^x"].map(source);
        let filter = Filter::new(sources.into_iter()).unwrap();
        assert_eq!(filter.candidates("curl/8.7.1"), [0, 2]);
        assert_eq!(filter.candidates("chromium/126"), [1, 2]);
        assert_eq!(filter.candidates(""), [2]);
        assert!(Filter::new([source("(")].into_iter()).is_err());
    }
}
