//! Connecting, and noticing that a connection is dead.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};

/// Makes a connection answer at once, and end if nothing comes back for so long.
pub(crate) fn prepare(socket: &TcpStream, silence: Duration) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let reference = SockRef::from(socket);
    let every = (silence / 4).max(Duration::from_secs(1));
    let keepalive = TcpKeepalive::new().with_time(every).with_interval(every);
    reference.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    reference.set_tcp_user_timeout(Some(silence))?;
    Ok(())
}

/// Connects with one of some addresses, from a local address if it can.
pub(crate) fn connect(
    addresses: &[SocketAddr],
    from: Option<IpAddr>,
    patience: Duration,
) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match connect_with(*address, from, patience) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn connect_with(address: SocketAddr, from: Option<IpAddr>, patience: Duration) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if let Some(from) = from.filter(|from| from.is_ipv4() == address.is_ipv4()) {
        // The other side looks where a connection comes from. Where that can't be chosen, the system does.
        let _ = socket.bind(&SocketAddr::new(from, 0).into());
    }
    socket.connect_timeout(&address.into(), patience)?;
    let socket = TcpStream::from(socket);
    // Where nobody listens yet, a port may connect with itself.
    if socket.local_addr()? == socket.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    Ok(socket)
}

/// Listens at one of the addresses of this process; at all of this machine if its name is only known here,
/// as in `/etc/hosts` of many systems, and the others are on other machines.
pub(crate) fn listen(mine: &[SocketAddr], others_are_far: bool) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in mine {
        let mut address = *address;
        if others_are_far && address.ip().is_loopback() {
            address.set_ip(match address {
                SocketAddr::V4(_) => IpAddr::from([0; 4]),
                SocketAddr::V6(_) => IpAddr::from([0; 16]),
            });
        }
        match TcpListener::bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}
