//! An MCP tool of your own: it tells a model how many links have a tag.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline::{
    Access, Failure, Scope, Service, Settings, Tool, ToolContext, ToolEffect, ToolSpec,
};

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// The tag, as `list_tags` spells it.
    tag: String,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    links: u64,
}

/// Works as the caller: a token that is bound to some links counts those only.
async fn call(context: ToolContext, asked: Asked) -> Result<Found, Failure> {
    let tags = context.links().tags(None).await?;
    let found = tags.iter().find(|count| count.tag.as_str() == asked.tag);
    let links = found.map_or(0, |count| count.links);
    Ok(Found { links })
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().to_string_lossy();
    let settings = [
        ("SLUGLINE_LISTEN", "127.0.0.1:0"),
        ("SLUGLINE_DATA_DIR", &data),
    ];
    let settings = Settings::from_pairs(settings)?;
    let what = "Count the links that have one tag, expired ones included.";
    let spec = ToolSpec {
        name: "count_tag",
        description: what,
        needs: Access::with_links(Scope::LinksRead),
        effect: ToolEffect::Reads,
    };
    let tool = Tool::new(spec, call);
    let service = Service::builder(&settings).tool(tool).start().await?;
    Ok(service.stop().await?)
}

#[test]
fn it_runs() {
    main().unwrap();
}
