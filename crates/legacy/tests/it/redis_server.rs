//! A Redis server and the store on it.

use std::time::{Duration, Instant};

use redis::{Client, IntoConnectionInfo, Pipeline, aio::MultiplexedConnection};
use slugline_legacy::RedisStore;
use slugline_testkit::Redis;

#[derive(Debug)]
pub(crate) struct RedisServer(Redis);

impl RedisServer {
    pub(crate) fn start() -> Self {
        Self(Redis::start())
    }

    pub(crate) fn store(&self) -> RedisStore {
        RedisStore::new(self.0.url().into_connection_info().unwrap()).unwrap()
    }

    pub(crate) async fn set(&self, entries: &[(String, String)]) {
        let mut commands = redis::pipe();
        commands.cmd("PING").ignore();
        for (key, value) in entries {
            commands.cmd("SET").arg(key).arg(value).ignore();
        }
        self.run(&commands).await;
    }

    pub(crate) async fn run(&self, commands: &Pipeline) {
        let mut connection = self.connection().await;
        commands.exec_async(&mut connection).await.unwrap();
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.0.kill();
    }

    pub(crate) fn start_again(&mut self) {
        self.0.start_again();
    }

    /// Waits until the server answers.
    async fn connection(&self) -> MultiplexedConnection {
        let client = Client::open(self.0.url()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            match client.get_multiplexed_async_connection().await {
                Ok(connection) => return connection,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
