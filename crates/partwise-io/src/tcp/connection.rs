//! [`Connection`]: the connection to one other process, and the thread that receives from it.

use std::io::{ErrorKind, Result};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use super::frame::{self, Kind};

/// What all connections of a process share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) addresses: Vec<String>,
    /// The first process that was lost, and why.
    lost: OnceLock<(usize, String)>,
}

impl Shared {
    pub(super) fn new(addresses: Vec<String>) -> Self {
        Shared { addresses, lost: OnceLock::new() }
    }

    pub(super) fn lose(&self, process: usize, reason: &str) {
        self.lost.get_or_init(|| (process, reason.to_string()));
    }

    pub(super) fn lost(&self) -> Option<(usize, String)> {
        self.lost.get().cloned()
    }
}

/// What comes from another process.
pub(super) enum Received {
    Numbers(Vec<u8>),
    /// It has finished.
    End,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Connection {
    writer: Arc<Writer>,
    frames: Mutex<Receiver<Received>>,
}

/// The side of a connection that sends.
#[derive(Debug)]
pub(super) struct Writer(Mutex<TcpStream>);

impl Writer {
    /// A process that is in the middle of sending gives a sign of life by it.
    pub(super) fn send_sign_of_life(&self) {
        match self.0.try_lock() {
            // A failure is found by who receives from that process.
            Ok(mut stream) => drop(frame::write(&mut stream, Kind::SignOfLife, &[])),
            Err(TryLockError::Poisoned(_) | TryLockError::WouldBlock) => {}
        }
    }
}

impl Connection {
    pub(super) fn open(
        stream: TcpStream,
        other: usize,
        silence: Duration,
        shared: &Arc<Shared>,
    ) -> Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(silence))?;
        stream.set_write_timeout(Some(silence))?;
        let reader = stream.try_clone()?;
        let (sender, frames) = channel();
        let shared = Arc::clone(shared);
        std::thread::Builder::new()
            .name(format!("partwise receives from {other}"))
            .spawn(move || receive(reader, &sender, &shared, other))?;
        Ok(Connection { writer: Arc::new(Writer(Mutex::new(stream))), frames: Mutex::new(frames) })
    }

    pub(super) fn writer(&self) -> Arc<Writer> {
        Arc::clone(&self.writer)
    }

    fn stream(&self) -> MutexGuard<'_, TcpStream> {
        self.writer.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, bytes: &[u8]) -> Result<()> {
        frame::write(&mut self.stream(), Kind::Numbers, bytes)
    }

    /// Says that this process ends. Whether the other one hears it does not matter any more.
    pub(super) fn say(&self, kind: Kind, reason: &str) {
        drop(frame::write(&mut self.stream(), kind, frame::words(reason)));
    }

    pub(super) fn receive(&self, wait: Duration) -> std::result::Result<Received, RecvTimeoutError> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait)
    }

    /// Sends nothing any more. What the other process still sends is read to its end: to hang up on it could
    /// take back what was sent before.
    pub(super) fn close(&self) {
        drop(self.stream().shutdown(Shutdown::Write));
    }
}

/// Receives until the other process has finished, has failed or is gone.
fn receive(mut stream: TcpStream, frames: &Sender<Received>, shared: &Shared, other: usize) {
    let mut finished = false;
    loop {
        match frame::read(&mut stream) {
            Ok((Kind::SignOfLife, _)) => {}
            Ok((Kind::Numbers, bytes)) => drop(frames.send(Received::Numbers(bytes))),
            Ok((Kind::End, _)) => {
                finished = true;
                drop(frames.send(Received::End));
            }
            Ok((Kind::Failure, reason)) => {
                finished = true;
                shared.lose(other, &String::from_utf8_lossy(&reason));
            }
            Err(_) if finished => return,
            Err(error) => return shared.lose(other, &words_of(&error)),
        }
    }
}

fn words_of(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => "its process or its machine ended".into(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "there is no sign of life from it".into(),
        _ => error.to_string(),
    }
}
