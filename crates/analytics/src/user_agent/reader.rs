//! The facts that rules of links ask for.

use std::sync::{Arc, Mutex, PoisonError};

use slugline_domain::{ports::AgentReader, routing::AgentFacts};

use super::{Agent, UserAgents};
use crate::{bounds::truncate, memo::Memo};

/// Reads user agents while visitors wait, and caches the results.
#[derive(Debug)]
pub struct CachedAgents(Mutex<Memo<Arc<AgentFacts>>>);

impl CachedAgents {
    /// The most results that are cached, 1 MB at worst.
    const REMEMBERED: usize = 4_096;
}

impl Default for CachedAgents {
    fn default() -> Self {
        Self(Mutex::new(Memo::new(Self::REMEMBERED)))
    }
}

impl AgentReader for CachedAgents {
    fn read(&self, user_agent: &str) -> Arc<AgentFacts> {
        let read = truncate(user_agent, UserAgents::READ_MAX_BYTES);
        let mut memo = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memo.get(read, || {
            let agent = Agent::parse(read);
            Arc::new(AgentFacts {
                os: (&*agent.os).into(),
                browser: (&*agent.browser).into(),
                device_type: agent.device_type.into(),
                is_bot: agent.is_bot(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_see_what_the_access_log_stores() {
        let agents = CachedAgents::default();
        let phone = agents.read(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
             like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
        );
        assert_eq!(
            *phone,
            AgentFacts {
                os: "iOS".into(),
                browser: "Mobile Safari".into(),
                device_type: "mobile".into(),
                is_bot: false
            }
        );
        let bot = agents.read("Mozilla/5.0 (compatible; Googlebot/2.1)");
        assert!(bot.is_bot);
        assert_eq!(*agents.read(""), AgentFacts::default());
    }
}
