//! The inputs of handlers that stand in the head of a request: the caller, and what the caller may
//! see and change.

use std::{fmt, net::IpAddr, ops::Deref, sync::Arc};

use actix_web::{HttpRequest, web};
use async_trait::async_trait;
use slugline_application::{App, Caller, LinkReader, LinkService, LinkWriter, StatsReader};
use slugline_contract::{Bounds, Finding, ImportLimit, SetupView};
use slugline_domain::{
    Author, BaseUrl, Place, ProbeCaller,
    ports::{DiskWatch, LinksWatch},
};
use slugline_httpkit::{Failure, Foresight, Guard, ProxyDoubt, caller, probe_caller};

/// The state that every handler uses, from the app's data.
#[derive(Clone, Debug)]
pub struct RestState {
    /// The use cases.
    pub app: Arc<App>,
    /// The instance's bounds.
    pub bounds: Bounds,
    /// Links that one import may bring.
    pub import_limit: ImportLimit,
    /// The instance's setup, as far as its settings tell.
    pub setup: Arc<SetupView>,
    /// The disk that the service writes to.
    pub disk: Arc<dyn DiskWatch>,
    /// The state of the links database.
    pub links_watch: Arc<dyn LinksWatch>,
    /// The public address from outside, if there is something to look at.
    pub outside: Option<Arc<dyn Outside>>,
    /// Tells what a redirect would answer.
    pub foresight: Arc<dyn Foresight>,
}

/// Looks at the instance's public address from outside. Requests wait for it, so it answers within
/// seconds.
#[async_trait]
pub trait Outside: fmt::Debug + Send + Sync {
    /// Returns the faults that it finds there.
    async fn findings(&self) -> Vec<Finding>;
}

/// The adapter's state from the app's data.
pub(crate) fn state(request: &HttpRequest) -> &web::Data<RestState> {
    request
        .app_data()
        .expect("the app is built with the state of its REST routes")
}

/// The use cases and bounds.
#[derive(Debug)]
pub struct Context(web::Data<RestState>);

/// The caller of an operation that needs a token.
#[derive(Debug)]
pub struct CalledBy(pub Caller);

/// The desk at which a client without a token exchanges a one-time code for it.
pub(crate) struct CodeDesk {
    guard: web::Data<Guard>,
    client: IpAddr,
}

/// The author of the changes that a request makes.
#[derive(Debug)]
pub struct ChangedBy(pub Author);

/// The links that the caller sees.
#[derive(Debug)]
pub struct Links(pub LinkReader);

/// The links that the caller sees, and changes of them in the caller's name. Each change leaves
/// a line in the audit trail.
#[derive(Debug)]
pub struct Changes(pub LinkWriter);

/// Queries about the visits that the caller sees.
#[derive(Debug)]
pub struct Statistics(pub StatsReader);

/// The public address of the service, for short links in answers.
#[derive(Debug)]
pub struct PublicUrl(pub BaseUrl);

/// The facts that the instance knows of clients.
pub(crate) struct Clients(pub(crate) web::Data<Guard>);

/// The client's place.
pub(crate) struct ClientPlace(pub(crate) Place);

/// The facts about this request that destinations get.
pub(crate) struct Probing(pub(crate) ProbeCaller);

/// The problem with the proxy that the request came by.
pub(crate) struct ByProxy(pub(crate) Option<ProxyDoubt>);

impl Deref for Context {
    type Target = RestState;

    fn deref(&self) -> &RestState {
        &self.0
    }
}

impl CodeDesk {
    /// Exchanges a code for the site token.
    pub(crate) async fn redeem(&self, code: &str) -> Result<String, Failure> {
        Ok(self.guard.redeem(code, self.client).await?)
    }
}

/// Makes types inputs that are read from the head of a request and stand in no document.
macro_rules! from_head {
    ($($input:ty: |$request:ident| $read:expr;)*) => {$(
        impl ::actix_web::FromRequest for $input {
            type Error = ::slugline_httpkit::Failure;
            type Future = ::std::future::Ready<Result<Self, Self::Error>>;

            fn from_request(
                $request: &::actix_web::HttpRequest,
                _: &mut ::actix_web::dev::Payload,
            ) -> Self::Future {
                ::std::future::ready(Ok($read))
            }
        }

        impl ::aide::OperationInput for $input {}
    )*};
}
pub(crate) use from_head;

from_head! {
    Context: |request| Self(state(request).clone());
    CalledBy: |request| Self(known(request));
    CodeDesk: |request| {
        let guard = Guard::of(request).clone();
        let client = guard.client_address(request);
        Self { guard, client }
    };
    ChangedBy: |request| Self(Guard::of(request).author(&known(request), request));
    Links: |request| Self(links(request).seen_by(&known(request)));
    Changes: |request| {
        let caller = known(request);
        let author = Guard::of(request).author(&caller, request);
        Self(links(request).by(caller, author))
    };
    Statistics: |request| Self(state(request).app.stats.seen_by(&known(request)));
    PublicUrl: |request| Self(Guard::of(request).base_url(request));
    Clients: |request| Self(Guard::of(request).clone());
    ClientPlace: |request| Self(Guard::of(request).client_place(request));
    Probing: |request| Self(probe_caller(request));
    ByProxy: |request| Self(Guard::of(request).proxy_doubt(request));
}

/// The use cases of links, for clients who reach the instance as this one does.
fn links(request: &HttpRequest) -> LinkService {
    let base = Guard::of(request).base_url(request);
    state(request).app.links.seen_at(&base)
}

/// The caller of a route below `/api/`.
pub(crate) fn known(request: &HttpRequest) -> Caller {
    caller(request).expect("the route needs a token")
}
