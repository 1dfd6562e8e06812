//! MCP tools of your own, beside the 14 of every instance.

pub use slugline_mcp::{Tool, ToolContext, ToolEffect, ToolSpec};

use crate::builder::ServiceBuilder;

impl ServiceBuilder<'_> {
    /// Adds a tool at the end of the list. A caller whose token lacks the tool's scope neither
    /// sees nor may call it.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.additions.tools.push(tool);
        self
    }
}
