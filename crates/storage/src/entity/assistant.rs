//! The tables of assistants.

table! {
    /// Applications that registered themselves.
    mod client "assistant_clients",
    #[sea_orm(primary_key, auto_increment = false)]
    id: String,
    name: String,
    redirects: String,
    created_at: i64,
    consented: i64,
}

table! {
    /// People who signed in to decide.
    mod session "consent_sessions",
    #[sea_orm(primary_key, auto_increment = false)]
    digest: String,
    holder: String,
    ends_at: i64,
}

table! {
    /// Decisions that were not exchanged yet.
    mod code "consent_codes",
    #[sea_orm(primary_key, auto_increment = false)]
    digest: String,
    holder: String,
    client_id: String,
    client_name: String,
    client_host: String,
    redirect: String,
    challenge: String,
    scopes: String,
    link_ids: String,
    tags: String,
    resource: String,
    until: Option<i64>,
    expires_at: i64,
    author: String,
    author_client: Option<String>,
    domains: String,
}

table! {
    /// The renewal of an assistant's token. The digest is that in `tokens`.
    mod connection "assistant_connections",
    #[sea_orm(primary_key, auto_increment = false)]
    digest: String,
    former: Option<String>,
    family: String,
    refresh: String,
    code: String,
    client_id: String,
    client_name: String,
    client_host: String,
    scopes: String,
    resource: String,
    until: Option<i64>,
    ends_at: i64,
}
