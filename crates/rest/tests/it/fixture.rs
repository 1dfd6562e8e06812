//! The routes of an instance over ports in memory, called without a network.

use std::sync::Arc;

use actix_web::{
    App as Service,
    http::{Method, StatusCode, header::AUTHORIZATION},
    test::{TestRequest, call_service, init_service, read_body},
    web::Data,
};
use async_trait::async_trait;
use serde_json::Value;
use slugline_application::{
    App, Authenticator, LinkChecker, LinkMigration, LinkMigrationParts, LinkService,
    LinkServiceParts, LiveVisits, Passwords, PreviewMode, Resolver, ResolverOptions, SiteToken,
    SlugPolicy, StatsService, Suggestions,
};
use slugline_contract::{ImportLimit, Rules};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, PageSize, ViewsQuery,
    ViewsReport, VisitFilter,
    ports::{OldStore, VisitLog, VisitLogError},
};
use slugline_httpkit::{Edge, TrustedProxies};
use slugline_rest::{ApiOptions, RestState, RouteList, TransferLimits, api};
use slugline_testkit::{
    FixedClock, MemoryLinkStore, MemoryMigration, MemoryOldStore, NOON, ScriptedProber,
    SeededRandom,
};

const TOKEN: &str = "a-token-for-tests";

/// The routes of an instance.
pub(crate) struct Fixture {
    pub(crate) routes: RouteList,
    state: Data<RestState>,
    edge: Data<Edge>,
}

/// Links that wait in an older instance's store.
#[derive(Clone, Copy)]
pub(crate) enum Waiting {
    Nothing,
    Links,
}

/// An answer with its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::with(PreviewMode::Off, Waiting::Nothing).await
    }

    pub(crate) async fn with(preview: PreviewMode, waiting: Waiting) -> Self {
        let clock = Arc::new(FixedClock::at(NOON));
        let random = Arc::new(SeededRandom::new(1));
        let store = Arc::new(MemoryLinkStore::default());
        let passwords = Arc::new(Passwords::new(random.clone()));
        let policy = SlugPolicy::default();
        let old_store: Option<Arc<dyn OldStore>> = match waiting {
            Waiting::Nothing => None,
            Waiting::Links => Some(Arc::new(MemoryOldStore::new(Vec::new()))),
        };
        let migration = LinkMigration::new(LinkMigrationParts {
            progress: Arc::new(MemoryMigration::into(store.clone())),
            old_store,
            passwords: Arc::clone(&passwords),
            clock: clock.clone(),
        })
        .await
        .unwrap();
        let resolver = Resolver::new(
            store.clone(),
            clock.clone(),
            policy.case,
            ResolverOptions::default(),
        );
        let links = LinkService::new(LinkServiceParts {
            store,
            resolver: Arc::new(resolver),
            passwords,
            clock: clock.clone(),
            random,
            screen: None,
            policy,
            preview,
            lock: migration.lock(),
        });
        let prober = Arc::<ScriptedProber>::default();
        let app = App {
            checks: LinkChecker::new(links.clone(), prober, clock.clone()),
            stats: StatsService::new(Arc::new(BrokenLog), links.clone(), clock.clone()),
            links,
            suggestions: Suggestions::new(None, policy.case),
            migration,
            live: Arc::new(LiveVisits::new()),
        };
        let token = SiteToken::new(TOKEN).unwrap();
        let authenticator = Arc::new(Authenticator::new(token, clock));
        Self {
            routes: api(&ApiOptions::default()).finish(),
            state: Data::new(RestState {
                app: Arc::new(app),
                rules: Rules::default(),
                transfer: TransferLimits {
                    export_page: PageSize::default(),
                    import_limit: ImportLimit(3),
                },
            }),
            edge: Data::new(Edge::new(authenticator, TrustedProxies::default(), None)),
        }
    }

    /// Sends JSON with the token.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let request = TestRequest::with_uri(path).method(method).set_json(body);
        self.call(request).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(TestRequest::with_uri(path)).await
    }

    pub(crate) async fn call(&self, request: TestRequest) -> Answer {
        let request = request
            .insert_header((AUTHORIZATION, format!("Bearer {TOKEN}")))
            .to_request();
        let service = Service::new()
            .app_data(self.state.clone())
            .app_data(self.edge.clone())
            .configure(|config| self.routes.configure(config));
        let service = init_service(service).await;
        let response = call_service(&service, request).await;
        let status = response.status();
        let text = String::from_utf8(read_body(response).await.to_vec()).unwrap();
        Answer { status, text }
    }
}

/// An access log that cannot be read.
#[derive(Debug)]
struct BrokenLog;

fn broken<T>() -> Result<T, VisitLogError> {
    Err(VisitLogError::Failed {
        action: "answer",
        source: "the disk is on fire".into(),
    })
}

#[async_trait]
impl VisitLog for BrokenLog {
    async fn counters(&self, _: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        broken()
    }

    async fn views(&self, _: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        broken()
    }

    async fn heatmap(&self, _: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        broken()
    }

    async fn metrics(&self, _: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        broken()
    }

    async fn locations(&self, _: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        broken()
    }

    async fn events(&self, _: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        broken()
    }

    async fn access(&self, _: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        broken()
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        Vec::new()
    }
}
