//! The routes of an instance over SQLite, called without a network.

use std::sync::Arc;

use actix_web::{
    App as Service,
    http::{
        Method, StatusCode,
        header::{AUTHORIZATION, HeaderMap},
    },
    test::{TestRequest, call_service, init_service, read_body},
    web::Data,
};
use serde_json::{Value, json};
use slugline_application::{
    App, AuditParts, AuditService, Authenticator, AuthenticatorParts, Domains, DomainsParts,
    LinkChecker, LinkLists, LinkMigration, LinkMigrationParts, LinkService, LinkServiceParts,
    LiveVisits, NamedDomains, Passwords, Resolver, ResolverOptions, SiteToken, StatsService,
    Tokens, TokensParts, VisitErasures, VisitErasuresParts,
};
use slugline_contract::{
    Bounds, ImportLimit, Limits, LinkStoreKind, RedirectsView, SeenLinkView, SetupView, Stores,
    Switches, VisitStoreKind, VisitsView,
};
use slugline_domain::{
    AnswerHead, DomainName, Explanation, FollowedLink, InstanceDefaults, OwnAddresses, Visitor,
    ports::{DiskTrouble, DiskWatch, LinksWatch},
};
use slugline_httpkit::{Edge, Foresight, Guard};
use slugline_rest::{RestState, RouteList, api};
use slugline_storage::{DatabaseUrl, SqlLinkStore};
use slugline_testkit::{CountedVisits, FixedClock, LinksFile, NOON, ScriptedProber, SeededRandom};

const TOKEN: &str = "a-token-for-tests";

/// The routes of an instance.
pub(crate) struct Fixture {
    pub(crate) routes: RouteList,
    pub(crate) file: LinksFile,
    pub(crate) log: Arc<CountedVisits>,
    state: Data<RestState>,
    guard: Data<Guard>,
}

/// An answer with its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    /// The text of a header; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let clock = Arc::new(FixedClock::at(NOON));
        let random = Arc::new(SeededRandom::new(1));
        let file = LinksFile::new();
        let store = SqlLinkStore::open(&DatabaseUrl::File(file.path())).await;
        let store = Arc::new(store.unwrap());
        let log = Arc::<CountedVisits>::default();
        let passwords = Arc::new(Passwords::new(random.clone()));
        let migration = LinkMigration::new(LinkMigrationParts {
            progress: store.clone(),
            passwords: Arc::clone(&passwords),
            clock: clock.clone(),
            old_store: None,
        })
        .await
        .unwrap();
        let resolver = Resolver::new(
            store.clone(),
            clock.clone(),
            NamedDomains::default(),
            ResolverOptions::default(),
        );
        let resolver = Arc::new(resolver);
        let domains = DomainsParts {
            store: Arc::new(store.domains()),
            links: store.clone(),
            resolver: Arc::clone(&resolver),
            clock: clock.clone(),
            public: None,
            admin: None,
            own_addresses: OwnAddresses::default(),
        };
        let links = LinkService::new(LinkServiceParts {
            resolver: Arc::clone(&resolver),
            passwords,
            lock: migration.lock(),
            ..LinkServiceParts::new(store.clone(), clock.clone(), random)
        });
        let prober = Arc::<ScriptedProber>::default();
        let stats = StatsService::new(log.clone(), links.clone(), clock.clone());
        let audit = AuditService::new(AuditParts {
            trail: store.clone(),
            clock: clock.clone(),
            domains: NamedDomains::default(),
            keep_for: None,
        });
        let named = Arc::new(store.tokens());
        let erasures = VisitErasures::new(VisitErasuresParts {
            eraser: log.clone(),
            links: links.clone(),
            trail: store.clone(),
            clock: clock.clone(),
        });
        let app = App {
            domains: Domains::new(domains),
            erasures,
            audit,
            checks: LinkChecker::new(links.clone(), prober, clock.clone()),
            lists: LinkLists::new(links.clone(), stats.clone()),
            links,
            migration,
            stats,
            live: Arc::new(LiveVisits::new()),
            tokens: Tokens::new(TokensParts {
                store: named.clone(),
                links: store.clone(),
                domains: NamedDomains::default(),
                clock: clock.clone(),
                random: Arc::new(SeededRandom::new(2)),
            }),
        };
        let authenticator = Arc::new(Authenticator::new(AuthenticatorParts {
            site: SiteToken::new(TOKEN).unwrap(),
            named,
            clock,
            codes: None,
        }));
        let mut edge = Edge::default();
        edge.link_view = Some(|link| json!(SeenLinkView::from(link)));
        Self {
            routes: api("1.0.0", &Bounds::default()).finish(),
            file,
            log,
            state: Data::new(RestState {
                app: Arc::new(app),
                bounds: Bounds::default(),
                setup: Arc::new(setup()),
                import_limit: ImportLimit(3),
                disk: Arc::new(FullDisk),
                links_watch: Arc::new(DamagedLinks),
                outside: None,
                foresight: Arc::new(PlainRedirects),
            }),
            guard: Data::new(Guard {
                edge: Arc::new(edge),
                authenticator,
                any_origin: false,
            }),
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
            .configure(|config| self.routes.configure(&self.state, &self.guard, config));
        let service = init_service(service).await;
        let response = call_service(&service, request).await;
        let status = response.status();
        let headers = response.headers().clone();
        let text = String::from_utf8(read_body(response).await.to_vec()).unwrap();
        Answer {
            status,
            headers,
            text,
        }
    }
}

/// A links database with damaged pages.
#[derive(Debug)]
struct DamagedLinks;

impl LinksWatch for DamagedLinks {
    fn is_damaged(&self) -> bool {
        true
    }

    fn refuses_changes(&self) -> bool {
        false
    }
}

/// Redirects with default options, as far as the domain decides them.
#[derive(Debug)]
struct PlainRedirects;

impl Foresight for PlainRedirects {
    fn foresee<'l>(
        &self,
        link: &'l FollowedLink,
        _: &DomainName,
        visitor: &Visitor<'_>,
        used_up: bool,
    ) -> (Explanation<'l>, AnswerHead) {
        let explanation = link.explain(visitor, InstanceDefaults::default(), used_up);
        (explanation, AnswerHead::default())
    }
}

/// A disk without free space.
#[derive(Debug)]
struct FullDisk;

impl DiskWatch for FullDisk {
    fn trouble(&self) -> Option<DiskTrouble> {
        Some(DiskTrouble::NearlyFull {
            free_bytes: 5 << 20,
        })
    }
}

/// A setup as settings may make it; no test depends on its numbers.
fn setup() -> SetupView {
    SetupView {
        version: "1.2.3",
        base_url: None,
        base_url_unicode: None,
        admin_url: None,
        limits: Limits {
            slug_chars: 1,
            slug_pattern: "^a$",
            generated_slug_chars: 1,
            url_chars: 1,
            url_schemes: vec!["https".into()],
            comment_chars: 1,
            title_chars: 1,
            description_chars: 1,
            password_chars: 1,
            tags: 1,
            tag_chars: 1,
            import_links: 3,
            export_links: 1,
            list_links: 1,
            batch_links: 1,
            check_links: 1,
            stats_rows: 1,
            stats_tags: 1,
            stats_tagged_links: 1,
            watchers: 1,
            body_bytes: 1,
        },
        switches: Switches {
            preview_mode: false,
            migration_required: false,
            case_sensitive_slugs: false,
            proxied_links: false,
            destination_screening: false,
            webhook: false,
            api_cors: false,
            assistants: false,
            trusted_proxies: false,
            place_file: false,
            places: false,
            cities: false,
            trash: false,
        },
        redirects: RedirectsView {
            status: 301,
            max_age_seconds: None,
            with_query: false,
        },
        visits: VisitsView {
            bots: true,
            retention_days: None,
            visitor_salt: "day",
            sample_above: None,
            sample_link_above: None,
        },
        stores: Stores {
            links: LinkStoreKind::Sqlite,
            visits: VisitStoreKind::Embedded,
        },
        countries: None,
        findings: Vec::new(),
    }
}
