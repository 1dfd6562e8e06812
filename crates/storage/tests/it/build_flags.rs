//! The bundled SQLite is compiled as `.cargo/config.toml` asks.

use rusqlite::Connection;

#[test]
fn sqlite_has_the_options_of_the_build() {
    let flags = env!("LIBSQLITE3_FLAGS");
    let db = Connection::open_in_memory().unwrap();
    let mut statement = db.prepare("PRAGMA compile_options").unwrap();
    let options = statement.query_map([], |row| row.get(0)).unwrap();
    let options: Vec<String> = options.collect::<Result<_, _>>().unwrap();
    // SQLite tells only options whose names begin with its own.
    for (sign, option) in flags.split_whitespace().filter_map(told) {
        let is_set = options.iter().any(|set| set == option);
        assert_eq!(is_set, sign == "-D", "{sign}{option} of {options:?}");
    }
    assert!(flags.split_whitespace().filter_map(told).count() >= 3);
}

/// `-D` or `-U`, and the option as SQLite names it.
fn told(flag: &str) -> Option<(&str, &str)> {
    let (sign, name) = flag.split_at_checked(2)?;
    Some((sign, name.strip_prefix("SQLITE_")?))
}
