//! The instance as others see it from outside.

use std::fmt;

use async_trait::async_trait;
use slugline_contract::Finding;

/// Looks at the instance's public address from outside. Requests wait for it, so it answers within
/// seconds.
#[async_trait]
pub trait Outside: fmt::Debug + Send + Sync {
    /// What is not right there.
    async fn findings(&self) -> Vec<Finding>;
}
