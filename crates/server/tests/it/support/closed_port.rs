//! A port that refuses connections.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use socket2::{Domain, Socket, Type};

/// Binds a port of this machine without listening on it, so that no other process can bind it
/// during the test.
pub(crate) struct ClosedPort(Socket);

impl ClosedPort {
    pub(crate) fn new() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let any = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
        socket.bind(&any.into()).unwrap();
        Self(socket)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap().as_socket().unwrap()
    }
}
