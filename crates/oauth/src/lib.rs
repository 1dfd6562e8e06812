//! Assistants connect by an address: discovery, registration, consent and tokens.
//!
//! This crate knows HTTP and OAuth 2.1 on the wire; the order of events and every rule are in the
//! application. It does not know MCP, the API or SQL.
//!
//! | module | holds |
//! |---|---|
//! | `discovery` | the documents by which clients find everything (RFC 9728, RFC 8414), and `/_oauth/register` (RFC 7591) |
//! | `authorization` | `/_oauth/authorize`: signing in, and the decision |
//! | `token` | `/_oauth/token` and `/_oauth/revoke` (RFC 6749, RFC 7009) |
//! | `answer` | JSON, errors and the headers of every answer |
//! | `parameters` | queries and forms |
//! | `cookie` | the cookie of a person who signed in |
//! | `decision` | what a person chose in the form |
//! | `pages`, `shown_host`, `words` | the pages, in ten languages |
//! | `connecting` | what every handler needs, and the paths of all that |

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod answer;
mod authorization;
mod connecting;
mod cookie;
mod decision;
mod discovery;
mod pages;
mod parameters;
mod shown_host;
mod token;
mod words;

use actix_web::{
    Resource,
    http::Method,
    web::{self, Data, ServiceConfig},
};

use slugline_httpkit::ProtectedResource;

use self::connecting::STYLE_PATH;
pub use self::connecting::{
    AUTHORIZE_PATH, Connecting, REGISTER_PATH, RESOURCE_METADATA_PATH, REVOKE_PATH,
    SERVER_METADATA_PATH, TOKEN_PATH,
};

/// Mounts everything.
pub fn configure(connecting: &Data<Connecting>, config: &mut ServiceConfig) {
    config.app_data(connecting.clone());
    // At the root of the host, as clients ask, and below the path that a proxy takes away.
    let below = connecting.base.path();
    let root = ProtectedResource::METADATA_PATH;
    let of_resource = RESOURCE_METADATA_PATH.replacen(root, &format!("{root}{below}"), 1);
    let of_server = format!("{SERVER_METADATA_PATH}{below}");
    config
        .service(open([root, RESOURCE_METADATA_PATH, &of_resource]).get(discovery::resource))
        .service(open([SERVER_METADATA_PATH, &of_server]).get(discovery::server))
        .service(open([REGISTER_PATH]).post(discovery::register))
        .service(open([TOKEN_PATH]).post(token::token))
        .service(open([REVOKE_PATH]).post(token::revoke))
        .service(
            Resource::new(AUTHORIZE_PATH)
                .get(authorization::show)
                .post(authorization::take),
        )
        .service(Resource::new(STYLE_PATH).get(pages::style));
    configure_rest(config);
}

/// Mounts answers that say that assistants cannot connect here.
pub fn configure_off(config: &mut ServiceConfig) {
    for path in [
        ProtectedResource::METADATA_PATH,
        RESOURCE_METADATA_PATH,
        SERVER_METADATA_PATH,
    ] {
        config.service(Resource::new(path).get(discovery::off));
    }
    for path in [REGISTER_PATH, TOKEN_PATH, REVOKE_PATH] {
        config.service(Resource::new(path).post(discovery::off));
    }
    let authorize = Resource::new(AUTHORIZE_PATH);
    config.service(authorize.get(discovery::off).post(discovery::off));
    configure_rest(config);
}

/// Clients probe further addresses, and take only 404 for "there is none": an address that the
/// operator set for unknown paths would mislead them.
fn configure_rest(config: &mut ServiceConfig) {
    let rest = Resource::new("/.well-known/{rest:(oauth|openid).*}");
    config.service(rest.default_service(web::to(discovery::nothing)));
}

/// A resource that web pages of any origin may call: there are no credentials to protect.
fn open<const N: usize>(paths: [&str; N]) -> Resource {
    let paths = paths.map(str::to_owned).to_vec();
    Resource::new(paths).route(web::method(Method::OPTIONS).to(answer::preflight))
}
