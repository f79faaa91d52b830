//! What goes over a connection: a greeting, then frames of a kind, a length, and so many bytes.

use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::time::Instant;

/// The first bytes of a greeting; the last one is the version.
const MAGIC: [u8; 8] = *b"partwse\x01";
/// A reason that a process gives is cut here.
const MOST_WORDS: usize = 4096;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers for the fit.
    Numbers,
    /// The process is still there.
    SignOfLife,
    /// The process has finished.
    End,
    /// The process has failed; the bytes say why.
    Failure,
}

/// Who connects: the first thing that is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Greeting {
    pub(super) token: [u8; 16],
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl Greeting {
    pub(super) fn send(&self, stream: &mut TcpStream) -> Result<()> {
        let mut bytes = [MAGIC.as_slice(), &self.token].concat();
        bytes.extend((self.rank as u64).to_le_bytes());
        stream.write_all(&bytes)
    }

    /// Waits for the greeting of a process with a higher number, and returns this number; nothing when it is
    /// not of this fit.
    pub(super) fn receive(&self, stream: &mut TcpStream, until: Instant) -> Option<usize> {
        let left = until.saturating_duration_since(Instant::now());
        // Some systems hand down that the listener does not wait.
        stream.set_nonblocking(false).ok()?;
        stream.set_read_timeout(Some(left.max(std::time::Duration::from_millis(10)))).ok()?;
        let mut bytes = [0; 32];
        stream.read_exact(&mut bytes).ok()?;
        let (magic, rest) = bytes.split_at(MAGIC.len());
        let (token, rank) = rest.split_at(self.token.len());
        let rank = usize::try_from(u64::from_le_bytes(rank.try_into().ok()?)).ok()?;
        let known = magic == MAGIC && token == self.token && self.rank < rank && rank < self.size;
        known.then_some(rank)
    }
}

/// Writes a frame.
pub(super) fn write(stream: &mut TcpStream, kind: Kind, bytes: &[u8]) -> Result<()> {
    let head = (bytes.len() as u64) << 8 | kind as u64;
    stream.write_all(&head.to_le_bytes())?;
    stream.write_all(bytes)
}

/// Waits for the next frame.
pub(super) fn read(stream: &mut TcpStream) -> Result<(Kind, Vec<u8>)> {
    let malformed = |what| std::io::Error::new(std::io::ErrorKind::InvalidData, what);
    let mut head = [0; 8];
    stream.read_exact(&mut head)?;
    let head = u64::from_le_bytes(head);
    let kind = match head & 0xff {
        0 => Kind::Numbers,
        1 => Kind::SignOfLife,
        2 => Kind::End,
        3 => Kind::Failure,
        _ => return Err(malformed("what it sends is not of a fit")),
    };
    let length = usize::try_from(head >> 8).map_err(|_| malformed("a message is too long"))?;
    if kind != Kind::Numbers && length > MOST_WORDS {
        return Err(malformed("a reason is too long"));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| malformed("a message is too long"))?;
    bytes.resize(length, 0);
    stream.read_exact(&mut bytes)?;
    Ok((kind, bytes))
}

/// A reason as the bytes of a frame.
pub(super) fn words(reason: &str) -> &[u8] {
    let end = (0..=reason.len().min(MOST_WORDS)).rev().find(|end| reason.is_char_boundary(*end));
    &reason.as_bytes()[..end.unwrap_or(0)]
}
