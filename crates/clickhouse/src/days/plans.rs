//! The plans of latest questions, kept in memory.
//!
//! A page asks many questions about the same days. Their plan takes longer to read than most
//! answers, and a [proof](super::proof) notices when it is out of date.

use std::{
    collections::VecDeque,
    error::Error as StdError,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use slugline_domain::VisitFilter;

use super::{
    part::Part,
    plan::{Known, Plan, Wanted},
    rest::Rest,
    upkeep::Ready,
};
use crate::client::Client;

/// The time for which a plan is kept: days that are counted meanwhile are scanned so long.
pub(crate) const KEPT_FOR: Duration = Duration::from_mins(1);

/// The days of all plans in memory. Each takes some 3 KB, and with sampled visits 8.
const MOST_DAYS: usize = 4_000;

/// Where a question's plan may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// From memory, if it is there.
    Any,
    New,
}

/// The plans of a node's questions.
#[derive(Debug)]
pub(crate) struct Plans {
    client: Client,
    deadline: Duration,
    ready: Ready,
    kept_for: Duration,
    /// The latest ones last.
    kept: Mutex<VecDeque<(Instant, Arc<Plan>)>>,
}

impl Plans {
    pub(crate) fn new(
        client: Client,
        deadline: Duration,
        ready: Ready,
        kept_for: Duration,
    ) -> Self {
        Self {
            client,
            deadline,
            ready,
            kept_for,
            kept: Mutex::default(),
        }
    }

    /// Takes the days of a question from totals, as far as there are any; see [`Plan::take`].
    pub(crate) async fn take<T>(
        &self,
        (filter, wanted): (&VisitFilter, Wanted),
        age: Age,
        read: impl Fn(&Known) -> Option<T>,
    ) -> (Vec<T>, Rest) {
        let part = Part::of(filter, wanted.ranked);
        let Some(part) = part.filter(|_| self.ready.load(Ordering::Acquire)) else {
            return (Vec::new(), Rest::default());
        };
        let kept = (age == Age::Any).then(|| self.find(&part)).flatten();
        let plan = match kept {
            Some(plan) => plan,
            None => match Plan::read(&self.client, part, self.deadline).await {
                Ok(plan) => self.keep(plan),
                Err(error) => {
                    let error: &(dyn StdError + 'static) = &error;
                    tracing::warn!(
                        error,
                        "ClickHouse has no day totals for a question, which scans instead"
                    );
                    return (Vec::new(), Rest::default());
                }
            },
        };
        plan.take((filter, wanted), read)
    }

    fn find(&self, part: &Part) -> Option<Arc<Plan>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(at, plan): &&(Instant, Arc<Plan>)| {
            plan.part() == part && at.elapsed() < self.kept_for
        };
        kept.iter().find(is_it).map(|(_, plan)| Arc::clone(plan))
    }

    /// Keeps a plan, in place of an older one of its part and of the oldest ones.
    fn keep(&self, plan: Plan) -> Arc<Plan> {
        let plan = Arc::new(plan);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(at, other)| other.part() != plan.part() && at.elapsed() < self.kept_for);
        kept.push_back((Instant::now(), Arc::clone(&plan)));
        let mut days: usize = kept.iter().map(|(_, plan)| plan.size()).sum();
        while days > MOST_DAYS
            && let Some((_, oldest)) = kept.pop_front()
        {
            days -= oldest.size();
        }
        plan
    }
}
