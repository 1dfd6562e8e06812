//! Builds the running parts from the settings.

use std::{fmt, sync::Arc};

use actix_web::{
    Resource,
    guard::fn_guard,
    web::{self, Data, ServiceConfig},
};
use anyhow::Context;
use serde_json::json;
use slugline_analytics::{CachedAgents, CountryTable, PlaceFile, Recorder, RecorderPorts};
use slugline_application::{
    App, AuditParts, AuditService, Authenticator, AuthenticatorParts, Caller, DestinationWatch,
    Domains, DomainsParts, Gatekeeper, GatekeeperParts, LinkChecker, LinkLists, LinkMigration,
    LinkService, LinkServiceParts, LinkWriter, LiveVisits, NamedDomains, Passwords, Resolver,
    SiteToken, StatsService, Tokens, TokensParts, VisitErasures, VisitErasuresParts, WatchParts,
    WriteBudget,
};
use slugline_clickhouse::ClickHouseOptions;
use slugline_contract::SeenLinkView;
use slugline_domain::{
    Author, Host,
    ports::{
        ChangeObserver, Clock, DestinationScreen, LinkProber, LinksWatch, PlaceFinder, Random,
        SecretStore, SignInCodes, VisitLog, VisitObserver, WatchObserver, WatchStore,
    },
};
use slugline_httpkit::{Code, Edge, Failure, Guard, Problem, SplitSides, guarded};
use slugline_oauth::Connecting;
use slugline_outbound::{Client, HttpForwarder, HttpProber, NameServiceScreen, Policy, Webhook};
use slugline_redirect::{Moved, Outcomes, Proxying, Redirects};
use slugline_rest::{RestState, RouteList};
use slugline_storage::{Listening, SqlLinkStore};
use slugline_system::{OsRandom, SystemClock};

use crate::{
    additions::{Checked, Routes},
    admin_host, api_routes,
    assistants::{self, Neighbours},
    clickhouse_wire::OutboundWire,
    data_folder::FolderDisk,
    databases,
    links_check::LinksHealth,
    metrics::{self, Metrics, Requests},
    observers::ObserverQueues,
    old_store,
    public_address::OutsideWatch,
    settings::{AccessLog, PlaceSource, Settings},
    setup::setup,
    sign_in_codes::FolderCodes,
};

/// Every part of a running service, connected to the others.
#[derive(Clone)]
pub(crate) struct Components {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) live: Arc<LiveVisits>,
    pub(crate) webhook: Option<Arc<Webhook>>,
    pub(crate) migration: LinkMigration,
    pub(crate) audit: AuditService,
    pub(crate) links: LinkService,
    pub(crate) observers: Arc<ObserverQueues>,
    /// Tells the resolver about changes that other nodes make.
    _listening: Option<Arc<Listening>>,
    pub(crate) metrics: Arc<Metrics>,
    /// Serve the metrics on this listener, with the token.
    shows_metrics: bool,
    routes: RouteList,
    added_routes: Arc<[Routes]>,
    guard: Data<Guard>,
    rest: Data<RestState>,
    mcp: Data<slugline_mcp::Server>,
    /// Lets assistants connect, where the settings allow it.
    pub(crate) assistants: Option<Data<Connecting>>,
    redirects: Arc<Redirects>,
    has_admin_host: bool,
    /// Asks destinations, if a setting says so.
    pub(crate) watch: Option<DestinationWatch>,
    /// Follows changes of domains by other nodes.
    pub(crate) domains: Domains,
}

impl fmt::Debug for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Components").finish_non_exhaustive()
    }
}

/// Opens the databases and builds everything on them.
pub(crate) async fn build(
    settings: &Settings,
    token: SiteToken,
    checked: Checked,
) -> anyhow::Result<Components> {
    // Before anything that creates files.
    let places = open_places(settings)?;
    let store = databases::open(settings).await?;
    let observers =
        Arc::new(ObserverQueues::gather(checked.observers).context("an observer cannot start")?);
    let base = open_link_dependencies(settings, store, Some(observers.clone())).await?;
    let secret = agree_on(&base.store, "idempotency", &*base.random).await?;
    let links = base.link_service(settings, secret);
    let listening = base.listen();
    let setup = Arc::new(setup(settings, &token));
    let authenticator = Arc::new(Authenticator::new(AuthenticatorParts {
        site: token,
        named: Arc::new(base.store.tokens()),
        clock: Arc::clone(&base.clock),
        codes: sign_in_codes(settings),
    }));
    let webhook = settings.webhook.clone().map(|options| {
        let client = Client::new(Policy::for_operators_servers());
        let (clock, random) = (Arc::clone(&base.clock), Arc::clone(&base.random));
        Arc::new(Webhook::start(options, client, clock, random))
    });
    let live = Arc::new(LiveVisits::new());
    let mut of_visits: Vec<Arc<dyn VisitObserver>> = vec![live.clone(), observers.clone()];
    if let Some(webhook) = &webhook {
        of_visits.push(webhook.clone());
    }
    let ports = RecorderPorts {
        places: places.clone(),
        observers: of_visits,
        ..RecorderPorts::new(Arc::clone(&base.clock), Arc::clone(&base.random))
    };
    let (recorder, log) = open_access_log(settings, ports).await?;
    let recorder = Arc::new(recorder);
    let gatekeeper = Gatekeeper::new(GatekeeperParts {
        passwords: Arc::clone(&base.passwords),
        store: base.store.clone(),
        resolver: Arc::clone(&base.resolver),
    });
    let prober: Arc<dyn LinkProber> =
        Arc::new(HttpProber::new(Client::new(settings.checks.clone())));
    let checks = LinkChecker::new(links.clone(), Arc::clone(&prober), Arc::clone(&base.clock));
    let watch = settings.watched().map(|every| {
        DestinationWatch::new(WatchParts {
            store: base.store.clone(),
            prober: Arc::clone(&prober),
            clock: Arc::clone(&base.clock),
            random: Arc::clone(&base.random),
            every,
            observer: webhook
                .clone()
                .map(|webhook| -> Arc<dyn WatchObserver> { webhook }),
        })
    });
    let stats = StatsService::new(log, links.clone(), Arc::clone(&base.clock));
    let audit = AuditService::new(AuditParts {
        trail: base.store.clone(),
        clock: Arc::clone(&base.clock),
        domains: base.resolver.domains().clone(),
        keep_for: settings.audit_kept_for,
    });
    let erasures = VisitErasures::new(VisitErasuresParts {
        eraser: recorder.clone(),
        links: links.clone(),
        trail: base.store.clone(),
        clock: Arc::clone(&base.clock),
    });
    let tokens = named_tokens(
        base.resolver.domains().clone(),
        &base.store,
        Arc::clone(&base.clock),
        Arc::clone(&base.random),
    );
    base.domains
        .name_missing(&settings.domains)
        .await
        .context("SLUGLINE_DOMAINS")?;
    let app = Arc::new(App {
        erasures,
        audit: audit.clone(),
        lists: LinkLists::new(links.clone(), stats.clone()),
        links: links.clone(),
        checks,
        migration: base.migration.clone(),
        stats,
        live: Arc::clone(&live),
        tokens: tokens.clone(),
        domains: base.domains.clone(),
    });
    let lots = SplitSides::keyed(&agree_on(&base.store, "splits", &*base.random).await?);
    let edge = Arc::new(edge(settings, places, lots));
    let guard = Data::new(Guard {
        edge: Arc::clone(&edge),
        authenticator: Arc::clone(&authenticator),
        any_origin: settings.api_cors,
    });
    let neighbours = Neighbours {
        store: &base.store,
        tokens,
        authenticator: Arc::clone(&authenticator),
        clock: Arc::clone(&base.clock),
        random: Arc::clone(&base.random),
        guard: guard.clone(),
    };
    let connecting = assistants::connecting(settings, neighbours).map(Data::new);
    let proxying = settings.proxy.clone().map(|proxy| {
        let forwarder = HttpForwarder::new(Client::new(proxy.reach));
        Proxying::new(Arc::new(forwarder), proxy.limits)
    });
    let moves = settings.admin_host.is_none();
    let redirects = Arc::new(Redirects {
        edge: Arc::clone(&edge),
        resolver: Arc::clone(&base.resolver),
        gatekeeper: Arc::new(gatekeeper),
        visits: recorder.clone(),
        clock: Arc::clone(&base.clock),
        proxying,
        moved: moves.then(|| Moved::new(slugline_dashboard::moved)),
        options: settings.redirects.clone(),
        outcomes: Outcomes::default(),
    });
    let bounds = settings.bounds.clone();
    let routes = checked.api;
    let metrics = Metrics {
        started_at: base.clock.now(),
        requests: Requests::of(
            api_routes::documented_paths(&routes).chain([metrics::PATH.to_owned()]),
        ),
        refused_connections: Arc::default(),
        redirects: Arc::clone(&redirects),
        resolver: base.resolver,
        passwords: base.passwords,
        authenticator: Arc::clone(&authenticator),
        links: Arc::new(LinksHealth::new(Arc::clone(&base.store))),
        store: base.store,
        recorder: Arc::clone(&recorder),
        backups: Arc::default(),
        watch: watch.clone(),
        files: metrics::files(settings),
    };
    let links_watch: Arc<dyn LinksWatch> = metrics.links.clone();
    let tools = slugline_mcp::Server {
        app: Arc::clone(&app),
        bounds: bounds.clone(),
        tools: Arc::new(checked.tools),
    };
    Ok(Components {
        metrics: Arc::new(metrics),
        shows_metrics: settings.metrics_listen.is_none(),
        routes,
        guard,
        rest: Data::new(RestState {
            app,
            bounds,
            import_limit: settings.import_limit,
            setup,
            disk: Arc::new(FolderDisk {
                folder: settings.data_dir.clone(),
            }),
            links_watch,
            outside: Some(Arc::new(OutsideWatch::new(settings))),
            foresight: redirects.clone(),
        }),
        mcp: Data::new(tools),
        assistants: connecting,
        redirects,
        has_admin_host: settings.admin_host.is_some(),
        domains: base.domains,
        watch,
        migration: base.migration,
        audit,
        links,
        observers,
        added_routes: checked.routes.into(),
        _listening: listening.map(Arc::new),
        recorder,
        live,
        webhook,
    })
}

/// Only the use cases of links, for commands of the operator beside a running service.
pub(crate) async fn links_of_operator(settings: &Settings) -> anyhow::Result<LinkWriter> {
    let store = databases::open_beside(settings).await?;
    let dependencies = open_link_dependencies(settings, store, None).await?;
    // The operator's commands send no request under a key.
    let links = dependencies.link_service(settings, [0; 32]);
    Ok(links.by(Caller::Operator, Author::operator()))
}

/// Only the use cases of tokens, for work beside a running service.
pub(crate) async fn tokens(settings: &Settings) -> anyhow::Result<Tokens> {
    let store = databases::open_beside(settings).await?;
    let (clock, random): (Arc<dyn Clock>, _) = (Arc::new(SystemClock), Arc::new(OsRandom));
    let resolver = Arc::new(resolver(settings, &store, &clock));
    named_domains(settings, &store, Arc::clone(&resolver), Arc::clone(&clock)).await?;
    let domains = resolver.domains().clone();
    Ok(named_tokens(domains, &store, clock, random))
}

/// Codes stand for the token of the data folder, and for no other.
fn sign_in_codes(settings: &Settings) -> Option<Arc<dyn SignInCodes>> {
    if settings.site_token.is_some() {
        return None;
    }
    let folder = settings.data_dir.clone();
    Some(Arc::new(FolderCodes { folder }))
}

fn named_tokens(
    domains: NamedDomains,
    store: &Arc<SqlLinkStore>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Tokens {
    Tokens::new(TokensParts {
        store: Arc::new(store.tokens()),
        links: store.clone(),
        domains,
        clock,
        random,
    })
}

/// Only the use cases of domains, for commands of the operator beside a running service.
pub(crate) async fn domains_of_operator(settings: &Settings) -> anyhow::Result<Domains> {
    let store = databases::open_beside(settings).await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let resolver = Arc::new(resolver(settings, &store, &clock));
    named_domains(settings, &store, resolver, clock).await
}

async fn named_domains(
    settings: &Settings,
    store: &Arc<SqlLinkStore>,
    resolver: Arc<Resolver>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Domains> {
    let public = settings.base_url.as_ref();
    let public = public.and_then(|base| Host::parse(base.origin().host_name()).ok());
    let parts = DomainsParts {
        store: Arc::new(store.domains()),
        links: store.clone(),
        resolver,
        clock,
        public,
        admin: settings.admin_host.clone(),
        own_addresses: settings.bounds.own_addresses.clone(),
    };
    let domains = Domains::new(parts);
    domains
        .reload()
        .await
        .context("the domains cannot be read")?;
    Ok(domains)
}

fn resolver(settings: &Settings, store: &Arc<SqlLinkStore>, clock: &Arc<dyn Clock>) -> Resolver {
    Resolver::new(
        store.clone(),
        Arc::clone(clock),
        NamedDomains::new(settings.slug_case),
        settings.resolver,
    )
}

/// The dependencies of everything about links.
struct LinkDependencies {
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    store: Arc<SqlLinkStore>,
    resolver: Arc<Resolver>,
    passwords: Arc<Passwords>,
    migration: LinkMigration,
    domains: Domains,
}

async fn open_link_dependencies(
    settings: &Settings,
    store: Arc<SqlLinkStore>,
    observer: Option<Arc<dyn ChangeObserver>>,
) -> anyhow::Result<LinkDependencies> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let random: Arc<dyn Random> = Arc::new(OsRandom);
    let passwords = Arc::new(Passwords::new(Arc::clone(&random)));
    let migration = old_store::open(
        settings,
        store.clone(),
        Arc::clone(&passwords),
        Arc::clone(&clock),
    )
    .await?;
    let mut resolver = resolver(settings, &store, &clock);
    resolver.old_links = migration.old_links();
    resolver.observer = observer;
    let resolver = Arc::new(resolver);
    let domains =
        named_domains(settings, &store, Arc::clone(&resolver), Arc::clone(&clock)).await?;
    Ok(LinkDependencies {
        clock,
        random,
        store,
        resolver,
        passwords,
        migration,
        domains,
    })
}

impl LinkDependencies {
    /// Starts listening for changes by other nodes.
    fn listen(&self) -> Option<Listening> {
        self.store.listen(self.resolver.clone())
    }

    fn link_service(&self, settings: &Settings, request_secret: [u8; 32]) -> LinkService {
        let watch = settings.watched();
        let watch = watch.map(|_| -> Arc<dyn WatchStore> { self.store.clone() });
        LinkService::new(LinkServiceParts {
            store: self.store.clone(),
            history: self.store.clone(),
            resolver: Arc::clone(&self.resolver),
            passwords: Arc::clone(&self.passwords),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
            screen: screen(settings),
            generated_chars: settings.generated_slug_chars,
            preview: settings.preview,
            lock: self.migration.lock(),
            writes: WriteBudget::new(settings.token_writes_per_minute),
            watch,
            own_addresses: settings.bounds.own_addresses.clone(),
            known_places: settings.known_places(),
            request_secret,
        })
    }
}

impl Components {
    /// Mounts the adapters: paths of the service through a table of routes, and every other
    /// path directly on the links. Each route of the table is a regular expression, and trying
    /// them all costs as much as a whole redirect.
    pub(crate) fn configure(&self, config: &mut ServiceConfig) {
        let edge = Arc::clone(&self.redirects.edge);
        let table = web::scope("")
            .guard(fn_guard(move |context| {
                admin_host::leads_to_service(&edge, context.head())
            }))
            .configure(|config| self.configure_service_paths(config));
        config.service(table);
        if self.has_admin_host {
            admin_host::configure(&self.redirects, config);
        }
        slugline_redirect::configure(&self.redirects, config);
    }

    fn configure_service_paths(&self, config: &mut ServiceConfig) {
        self.routes.configure(&self.rest, &self.guard, config);
        slugline_mcp::configure(&self.mcp, &self.guard, config);
        match &self.assistants {
            Some(assistants) => slugline_oauth::configure(assistants, config),
            None => slugline_oauth::configure_off(config),
        }
        slugline_redirect::configure_service_paths(config);
        slugline_dashboard::configure(&self.guard.edge, config);
        if self.shows_metrics {
            config.service(guarded(metrics::resource(&self.metrics), &self.guard));
        }
        for Routes { prefix, configure } in self.added_routes.iter() {
            config.service(web::scope(prefix).configure(|config| configure(config)));
        }
        // Every other path below `/api/` asks for the token before it answers 404.
        config.service(guarded(
            Resource::new("/api/{rest:.+}").default_service(web::to(no_such_route)),
            &self.guard,
        ));
    }
}

async fn no_such_route() -> Result<&'static str, Failure> {
    let detail = "no such route; /_docs/openapi.json lists them";
    Err(Problem::new(Code::RouteNotFound, detail).into())
}

fn screen(settings: &Settings) -> Option<Arc<dyn DestinationScreen>> {
    let service = settings.safe_browsing.clone()?;
    let client = Client::new(Policy::for_operators_servers());
    Some(Arc::new(NameServiceScreen::new(client, service)))
}

fn edge(settings: &Settings, places: Option<Arc<dyn PlaceFinder>>, lots: SplitSides) -> Edge {
    let mut edge = Edge::default();
    edge.proxies = settings.trusted_proxies.clone();
    edge.configured_base_url.clone_from(&settings.base_url);
    edge.admin_host.clone_from(&settings.admin_host);
    edge.loopback_only = settings.listen.ip().is_loopback();
    edge.place_headers = settings.place_headers;
    edge.places = places;
    edge.agents = Some(Arc::new(CachedAgents::default()));
    edge.lots = lots;
    edge.link_view = Some(|link| json!(SeenLinkView::from(link)));
    edge.protected = assistants::resource(settings);
    edge
}

/// All nodes put a visitor on the same side of a split.
async fn agree_on(
    store: &SqlLinkStore,
    name: &'static str,
    random: &dyn Random,
) -> anyhow::Result<[u8; 32]> {
    let mut proposed = [0; 32];
    random.fill(&mut proposed);
    let agreed = store.agree(name, proposed).await;
    agreed.context(databases::CONTEXT)
}

fn open_places(settings: &Settings) -> anyhow::Result<Option<Arc<dyn PlaceFinder>>> {
    Ok(match &settings.places {
        PlaceSource::Nothing => None,
        PlaceSource::Table => Some(Arc::new(CountryTable::default())),
        PlaceSource::File(path) => {
            let file = PlaceFile::open(path).context("SLUGLINE_GEOIP_PATH")?;
            Some(Arc::new(file))
        }
    })
}

/// Only the access log, to write visits without live streams.
pub(crate) async fn open_recorder(
    settings: &Settings,
) -> anyhow::Result<(Recorder, Arc<dyn VisitLog>)> {
    let ports = RecorderPorts::new(Arc::new(SystemClock), Arc::new(OsRandom));
    open_access_log(settings, ports).await
}

async fn open_access_log(
    settings: &Settings,
    ports: RecorderPorts,
) -> anyhow::Result<(Recorder, Arc<dyn VisitLog>)> {
    let recorder = settings.recorder;
    let opened = match &settings.access_log {
        AccessLog::ClickHouse(target) => {
            let wire = Arc::new(OutboundWire::new());
            let clickhouse = ClickHouseOptions::new(target.clone(), wire, settings.spool_file());
            slugline_clickhouse::start(clickhouse, recorder, ports)
                .await
                .map(shared)
        }
        AccessLog::File(file) => slugline_visitlog::start(file, recorder, ports).map(shared),
    };
    opened.context("SLUGLINE_ANALYTICS_URL")
}

fn shared<L: VisitLog + 'static>((recorder, log): (Recorder, L)) -> (Recorder, Arc<dyn VisitLog>) {
    (recorder, Arc::new(log))
}
