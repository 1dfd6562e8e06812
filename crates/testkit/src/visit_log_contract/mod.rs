//! The contract suite of [`VisitLog`]: random questions of every kind, whose answers it compares
//! with plain SQL over the same visits.
//!
//! An engine implements [`Party`], and [`agrees_with_sql`] tests it. The numbers must be equal to
//! the last digit: there are few enough visitors to count exactly.
//!
//! | module | holds |
//! |---|---|
//! | `dice` | random numbers that repeat with the seed |
//! | `visits` | random visits, sampled and not |
//! | `question`, `questions` | any question and its answer; random ones, zones among them |
//! | `sql` | the answers, by `SQLite` over one plain table |

mod dice;
mod question;
mod questions;
mod sql;
mod visits;

use slugline_domain::ports::VisitLog;

pub use question::{Answer, Question, ask};
pub use visits::RandomVisit;

use crate::ambient::random_cases;
use dice::Dice;
use sql::Oracle;

/// An engine under test.
#[expect(async_fn_in_trait, reason = "tests run it on one thread")]
pub trait Party {
    /// Stores visits so that later questions see them.
    async fn store(&mut self, visits: &[RandomVisit]);

    /// Changes visits before they are stored, here and in the plain table.
    fn prepare(&self, _: &mut [RandomVisit]) {}

    /// The log to query.
    fn log(&self) -> &dyn VisitLog;

    /// Returns whether the engine can answer this question.
    fn can_answer(&self, _: &Question) -> bool {
        true
    }
}

/// Stores random visits and asks random questions, round after round, so that an engine is tested
/// in every state that it passes through.
pub async fn agrees_with_sql(party: &mut impl Party, seed: u64) {
    const ROUNDS: usize = 8;

    let dice = Dice::new(seed);
    let oracle = Oracle::new();
    let (mut asked, mut answered) = (0, 0);
    for round in 0..ROUNDS {
        let mut visits = RandomVisit::some(&dice);
        party.prepare(&mut visits);
        oracle.store(&visits);
        party.store(&visits).await;
        for number in 0..random_cases() / 4 {
            let question = questions::random(&dice, round + number * ROUNDS);
            if !party.can_answer(&question) {
                continue;
            }
            let expected = oracle.answer(&question);
            let found = ask(party.log(), &question)
                .await
                .unwrap_or_else(|error| panic!("{round} {question:?}: {error:?}"));
            assert_eq!(found, expected, "seed {seed}, round {round}: {question:?}");
            asked += 1;
            answered += usize::from(!found.is_empty());
        }
    }
    // Queries that match nothing prove nothing.
    assert!(answered > asked / 2, "{answered} of {asked} have an answer");
}
