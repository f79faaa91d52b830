//! [`TcpTransport`]: the processes of one fit, connected by TCP.
//!
//! Each process listens at an address of its own, then gets the addresses of all, in the order of the
//! processes. Every two of them share one connection. A thread for each connection receives, so that a
//! process which ends is noticed at once, also during a long computation; another thread sends a sign of life
//! every second, so that a machine which is gone is noticed too.

mod connection;
mod frame;

use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use partwise::blocks::Transport;
use partwise::{Error, Result};

use connection::{Connection, Received, Shared};
use frame::{Greeting, Kind};

/// How often a process that waits looks whether another one is gone.
const LOOK: Duration = Duration::from_millis(50);
/// How often a sign of life is sent.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// How long to wait for other processes.
#[derive(Clone, Copy, Debug)]
pub struct TcpTimeouts {
    /// For all of them to be connected.
    pub connect: Duration,
    /// For a sign of life of one that is connected.
    pub silence: Duration,
}

impl Default for TcpTimeouts {
    fn default() -> Self {
        TcpTimeouts { connect: Duration::from_secs(30), silence: Duration::from_secs(15) }
    }
}

/// See the module.
#[derive(Debug)]
pub struct TcpTransport {
    rank: usize,
    /// The connection to each other process; none to itself.
    connections: Vec<Option<Connection>>,
    shared: Arc<Shared>,
    ends: Arc<AtomicBool>,
    sent: AtomicU64,
    received: AtomicU64,
}

impl TcpTransport {
    /// Connects process `rank`, which listens with `listener`, to those at the `addresses` ("host:port"), of
    /// which there is one for each process. All processes of a fit have the same `token`; who does not know
    /// it is turned away.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when they are not all connected in time.
    pub fn connect(
        listener: &TcpListener,
        (rank, addresses): (usize, &[String]),
        token: [u8; 16],
        timeouts: TcpTimeouts,
    ) -> Result<Self> {
        let (size, until) = (addresses.len(), Instant::now() + timeouts.connect);
        let greeting = Greeting { token, rank, size };
        let mut streams: Vec<Option<TcpStream>> = (0..size).map(|_| None).collect();
        for (to, address) in addresses.iter().enumerate().take(rank) {
            let mut stream = reach(address, until).map_err(|why| unreached(to, address, &why))?;
            greeting.send(&mut stream).map_err(|why| unreached(to, address, &why.to_string()))?;
            streams[to] = Some(stream);
        }
        listener.set_nonblocking(true).map_err(|why| Error::Unreadable(format!("listening: {why}")))?;
        while let Some(missing) = (rank + 1..size).find(|from| streams[*from].is_none()) {
            if Instant::now() >= until {
                return Err(unreached(missing, &addresses[missing], "it did not connect in time"));
            }
            match listener.accept() {
                Ok((mut stream, _)) => {
                    // Whoever is not of this fit is hung up on.
                    let from = greeting.receive(&mut stream, until).filter(|from| streams[*from].is_none());
                    if let Some(from) = from {
                        streams[from] = Some(stream);
                    }
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        let shared = Arc::new(Shared::new(addresses.to_vec()));
        let mut connections = Vec::new();
        for (other, stream) in streams.into_iter().enumerate() {
            let open = |stream| Connection::open(stream, other, timeouts.silence, &shared);
            connections.push(
                stream
                    .map(open)
                    .transpose()
                    .map_err(|why| Error::Unreadable(format!("the connection to process {other}: {why}")))?,
            );
        }
        let ends = Arc::new(AtomicBool::new(false));
        let (sent, received) = (AtomicU64::new(0), AtomicU64::new(0));
        let transport = TcpTransport { rank, connections, shared, ends, sent, received };
        transport.send_signs_of_life()?;
        Ok(transport)
    }

    fn send_signs_of_life(&self) -> Result<()> {
        let ends = Arc::clone(&self.ends);
        let writers: Vec<_> = self.connections.iter().flatten().map(Connection::writer).collect();
        let work = move || {
            let mut next = Instant::now() + SIGN_OF_LIFE;
            while !ends.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
                if Instant::now() >= next {
                    writers.iter().for_each(|writer| writer.send_sign_of_life());
                    next = Instant::now() + SIGN_OF_LIFE;
                }
            }
        };
        let started = std::thread::Builder::new().name("partwise signs of life".into()).spawn(work);
        started.map(|_| ()).map_err(|why| Error::Unreadable(format!("no thread for connections: {why}")))
    }

    /// Bytes of numbers that were sent so far.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Bytes of numbers that were received so far.
    pub fn bytes_received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The process that was lost or has failed, if one has: the first one, and this one if it failed first.
    pub fn lost(&self) -> Option<usize> {
        self.shared.lost().map(|(process, _)| process)
    }

    fn check(&self) -> Result<()> {
        match self.shared.lost() {
            Some((process, reason)) if process == self.rank => Err(Error::Unreadable(reason)),
            Some((process, reason)) => {
                let place = &self.shared.addresses[process];
                Err(Error::Unreadable(format!("process {process} of the fit ({place}) is lost: {reason}")))
            }
            None => Ok(()),
        }
    }

    fn to(&self, other: usize) -> &Connection {
        self.connections[other].as_ref().expect("a process sends nothing to itself")
    }
}

impl Transport for TcpTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.connections.len()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if let Err(why) = self.to(to).send(bytes) {
            self.shared.lose(to, &why.to_string());
        }
        self.check()?;
        self.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<()> {
        loop {
            match self.to(from).receive(LOOK) {
                Ok(Received::Numbers(found)) if found.len() == bytes.len() => {
                    bytes.copy_from_slice(&found);
                    self.received.fetch_add(found.len() as u64, Ordering::Relaxed);
                    return Ok(());
                }
                Ok(Received::Numbers(found)) => {
                    let (found, expected) = (found.len(), bytes.len());
                    self.shared.lose(from, &format!("it sent {found} bytes in place of {expected}"));
                }
                Ok(Received::End) => self.shared.lose(from, "it ended before the others"),
                Err(RecvTimeoutError::Disconnected) => self.shared.lose(from, "its connection was closed"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.check()?;
        }
    }

    fn fail(&self, message: &str) {
        self.shared.lose(self.rank, message);
        self.connections.iter().flatten().for_each(|connection| connection.say(Kind::Failure, message));
    }
}

impl Drop for TcpTransport {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if self.shared.lost().is_none() {
            self.connections.iter().flatten().for_each(|connection| connection.say(Kind::End, ""));
        }
        self.connections.iter().flatten().for_each(Connection::close);
    }
}

fn unreached(process: usize, address: &str, why: &str) -> Error {
    Error::Unreadable(format!("process {process} of the fit ({address}) can't be reached: {why}"))
}

/// Connects to an address, again and again until it works.
fn reach(address: &str, until: Instant) -> std::result::Result<TcpStream, String> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let found: Vec<SocketAddr> = address.to_socket_addrs().map_err(|why| why.to_string())?.collect();
        let mut last = "the address is unknown".to_string();
        for place in found {
            match TcpStream::connect_timeout(&place, left.max(Duration::from_millis(10))) {
                Ok(stream) => return Ok(stream),
                Err(why) => last = why.to_string(),
            }
        }
        if left.is_zero() {
            return Err(last);
        }
        std::thread::sleep(LOOK.min(left));
    }
}
