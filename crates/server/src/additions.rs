//! Checks the parts that a program adds to the service, before the service starts.

use std::{collections::BTreeSet, sync::Arc};

use actix_web::web::ServiceConfig;
use anyhow::{Context, bail};
use slugline_mcp::{Tool, Tools};
use slugline_rest::{Api, Operation, RouteList};

use crate::{VERSION, api_routes, metrics, observers::Observer, settings::Settings};

/// The parts that a program adds to the service.
#[derive(Default)]
pub(crate) struct Additions {
    pub(crate) operations: Vec<Operation>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) observers: Vec<Box<dyn Observer>>,
    pub(crate) routes: Vec<Routes>,
}

/// Routes of actix below a prefix.
#[derive(Clone)]
pub(crate) struct Routes {
    pub(crate) prefix: &'static str,
    pub(crate) configure: Arc<dyn Fn(&mut ServiceConfig) + Send + Sync>,
}

/// Additions that can stand beside what the service has, together with it.
pub(crate) struct Checked {
    pub(crate) api: RouteList,
    pub(crate) tools: Tools,
    pub(crate) routes: Vec<Routes>,
    pub(crate) observers: Vec<Box<dyn Observer>>,
}

impl Additions {
    /// Checks that nothing collides.
    pub(crate) fn check(self, settings: &Settings) -> anyhow::Result<Checked> {
        let own = api_routes::declared(&settings.bounds)?;
        let mut taken = folders_of(&own);
        for operation in &self.operations {
            let (id, path) = (operation.id(), operation.path());
            let folder = folder(path).with_context(|| {
                format!(
                    "the operation {id} has the path {path}; put it below /api/acme/, with a \
                         name of your own, or below /_acme/"
                )
            })?;
            if taken.contains(folder) {
                bail!(
                    "the operation {id} has the path {path}, and {folder} is the service's own; \
                     choose a folder of your own, such as /api/acme/"
                );
            }
        }
        taken.extend(
            self.operations
                .iter()
                .filter_map(|operation| folder(operation.path()))
                .map(str::to_owned),
        );
        for Routes { prefix, .. } in &self.routes {
            if !is_prefix(prefix) {
                bail!(
                    "{prefix:?} is no prefix for routes: expected one such as /_acme, of letters, \
                       digits, - and _, without a slash at its end"
                );
            }
            if !taken.insert((*prefix).to_owned()) {
                bail!("the prefix {prefix} of your routes is in use; choose another one");
            }
        }
        Ok(Checked {
            api: self
                .operations
                .into_iter()
                .try_fold(own, Api::operation)?
                .finish(),
            tools: Tools::with(self.tools, &settings.bounds, VERSION)?,
            routes: self.routes,
            observers: self.observers,
        })
    }
}

/// The folders in which the service has paths of its own.
fn folders_of(api: &Api) -> BTreeSet<String> {
    let others = [slugline_dashboard::PATH, metrics::PATH];
    let folders = api.paths().chain(others).filter_map(folder);
    folders.map(str::to_owned).collect()
}

/// The folder of a path of the service: `/api/link` of `/api/link/create`, `/_docs` of
/// `/_docs/swagger`. No link can have a path in it.
fn folder(path: &str) -> Option<&str> {
    let name_from = if path.starts_with("/api/") {
        "/api/".len()
    } else if path.starts_with("/_") {
        "/_".len()
    } else {
        return None;
    };
    let name_to = path[name_from..]
        .find('/')
        .map_or(path.len(), |length| name_from + length);
    (name_to > name_from).then_some(&path[..name_to])
}

fn is_prefix(prefix: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    prefix
        .strip_prefix("/_")
        .is_some_and(|name| !name.is_empty() && name.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;
    use rstest::rstest;
    use slugline_application::Access;
    use slugline_domain::Scope;
    use slugline_rest::{Json, OperationSpec};

    use super::*;

    fn operation(path: &'static str, id: &'static str) -> Operation {
        let needs = if path.starts_with("/api/") {
            Access::always(Scope::LinksRead)
        } else {
            Access::OPEN
        };
        let spec = OperationSpec {
            method: Method::GET,
            path,
            id,
            tag: "Acme",
            summary: "An addition",
            description: "",
            needs,
            fails: &[],
        };
        Operation::new(spec, async || Ok(Json::<200, u32>(1)))
    }

    fn refusal(additions: Additions) -> Option<String> {
        let settings = Settings::from_pairs([("SLUGLINE_DATA_DIR", "data")]).unwrap();
        additions
            .check(&settings)
            .err()
            .map(|error| error.to_string())
    }

    fn with_operations(operations: Vec<Operation>) -> Option<String> {
        refusal(Additions {
            operations,
            ..Additions::default()
        })
    }

    #[rstest]
    #[case("/api/link/mine", "/api/link is the service's own")]
    #[case("/api/verify", "/api/verify is the service's own")]
    #[case("/_docs/mine", "/_docs is the service's own")]
    #[case("/_dashboard/mine", "/_dashboard is the service's own")]
    #[case("/_metrics", "/_metrics is the service's own")]
    #[case("/mine", "put it below /api/acme/")]
    #[case("/api/", "put it below /api/acme/")]
    #[case("/api/acme/{name}", "parameters belong into the query")]
    #[case("/api/acme/", "without a slash at its end")]
    fn an_operation_has_a_folder_of_its_own(#[case] path: &'static str, #[case] reason: &str) {
        let refusal = with_operations(vec![operation(path, "mine")]).unwrap();
        assert!(refusal.contains(reason), "{refusal}");
    }

    #[test]
    fn operations_do_not_collide() {
        let one = || operation("/api/acme/one", "acme_one");
        assert_eq!(
            with_operations(vec![one(), operation("/_acme/one", "b")]),
            None
        );
        let path = with_operations(vec![one(), operation("/api/acme/one", "b")]).unwrap();
        assert!(
            path.contains("two operations are GET /api/acme/one"),
            "{path}"
        );
        let id = with_operations(vec![operation("/api/acme/one", "link_get")]).unwrap();
        assert!(id.contains("two operations have the id link_get"), "{id}");
    }

    #[test]
    fn routes_have_a_prefix_of_their_own() {
        let with_prefixes = |prefixes: &[&'static str]| {
            let mut additions = Additions::default();
            for prefix in prefixes {
                let configure = Arc::new(|_: &mut ServiceConfig| {});
                additions.routes.push(Routes { prefix, configure });
            }
            additions
                .operations
                .push(operation("/_open/one", "open_one"));
            refusal(additions)
        };
        assert_eq!(with_prefixes(&["/_acme", "/_other"]), None);
        for prefix in [
            "",
            "/",
            "/acme",
            "/_",
            "/_acme/",
            "/_a/b",
            "/_{a}",
            "/api/acme",
        ] {
            let refusal = with_prefixes(&[prefix]).unwrap();
            assert!(refusal.contains("is no prefix for routes"), "{refusal}");
        }
        for prefixes in [["/_acme", "/_acme"], ["/_x", "/_health"], ["/_x", "/_open"]] {
            let refusal = with_prefixes(&prefixes).unwrap();
            assert!(refusal.contains("is in use"), "{refusal}");
        }
    }
}
