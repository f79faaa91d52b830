//! Threads that stand for processes: each runs the same work, and they exchange bytes over channels.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use partwise::blocks::Transport;
use partwise::{Error, Result};

/// Bytes, or why a process failed.
type Message = std::result::Result<Vec<u8>, String>;

/// A transport between threads.
#[derive(Debug)]
pub(crate) struct Threads {
    rank: usize,
    to: Vec<Sender<Message>>,
    from: Vec<Mutex<Receiver<Message>>>,
    /// Bytes and messages that were sent.
    pub(crate) sent: AtomicUsize,
    pub(crate) messages: AtomicUsize,
    /// The message whose sending fails, if one does.
    fails_at: Option<usize>,
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.sent.fetch_add(bytes.len(), Ordering::Relaxed);
        if Some(self.messages.fetch_add(1, Ordering::Relaxed)) == self.fails_at {
            return Err(Error::Unreadable(format!("process {} of the test fails", self.rank)));
        }
        let sent = self.to[to].send(Ok(bytes.to_vec()));
        sent.map_err(|_| Error::Unreadable(self.why_it_is_gone(to)))
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<()> {
        let receiver = self.from[from].lock().unwrap();
        match receiver.recv_timeout(Duration::from_secs(20)) {
            Ok(Ok(received)) => {
                assert_eq!(received.len(), bytes.len(), "from {from} to {}", self.rank);
                bytes.copy_from_slice(&received);
                Ok(())
            }
            Ok(Err(message)) => Err(Error::Unreadable(message)),
            Err(_) => Err(Error::Unreadable(format!("process {from} is gone or silent"))),
        }
    }

    fn fail(&self, message: &str) {
        for (_, sender) in self.to.iter().enumerate().filter(|(to, _)| *to != self.rank) {
            // One that is gone needs no message.
            let _ = sender.send(Err(message.to_string()));
        }
    }
}

impl Threads {
    /// What a process that no longer listens has left to say.
    fn why_it_is_gone(&self, process: usize) -> String {
        let receiver = self.from[process].lock().unwrap();
        let left = std::iter::from_fn(|| receiver.try_recv().ok()).find_map(Message::err);
        left.unwrap_or_else(|| format!("process {process} is gone"))
    }
}

/// Does the work in `size` processes; what each gives, by their numbers. `fails_at`: a process, and which of
/// its messages can't be sent.
pub(crate) fn together<R: Send>(
    size: usize,
    fails_at: Option<(usize, usize)>,
    work: impl Fn(Arc<Threads>) -> R + Sync,
) -> Vec<R> {
    let mut to: Vec<Vec<_>> = (0..size).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<_>> = (0..size).map(|_| Vec::new()).collect();
    for sender in &mut to {
        for receivers in &mut from {
            let (send, receive) = channel();
            sender.push(send);
            receivers.push(Mutex::new(receive));
        }
    }
    std::thread::scope(|scope| {
        let start = |(rank, (to, from))| {
            let transport = Threads {
                rank,
                to,
                from,
                sent: AtomicUsize::new(0),
                messages: AtomicUsize::new(0),
                fails_at: fails_at.filter(|(process, _)| *process == rank).map(|(_, message)| message),
            };
            let work = &work;
            scope.spawn(move || work(Arc::new(transport)))
        };
        let handles: Vec<_> = to.into_iter().zip(from).enumerate().map(start).collect();
        handles.into_iter().map(|handle| handle.join().expect("no process panics")).collect()
    })
}
