//! Processes connected by TCP: numbers arrive, and who is lost is named by all others within seconds.

use std::net::TcpListener;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use partwise::blocks::Transport;
use partwise_io::{TcpTimeouts, TcpTransport};

const TOKEN: [u8; 16] = [7; 16];

fn timeouts() -> TcpTimeouts {
    TcpTimeouts { connect: Duration::from_secs(10), silence: Duration::from_secs(5) }
}

/// Runs `work` for each of `size` processes, which are threads here, and returns what each gives.
fn together<R: Send>(size: usize, work: impl Fn(TcpTransport) -> R + Sync) -> Vec<R> {
    let listeners: Vec<_> =
        (0..size).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let addresses: Vec<_> =
        listeners.iter().map(|l| l.local_addr().expect("its address").to_string()).collect();
    std::thread::scope(|scope| {
        let start = |(rank, listener): (usize, TcpListener)| {
            let (work, addresses) = (&work, &addresses);
            scope.spawn(move || {
                let transport = TcpTransport::connect(&listener, (rank, addresses), TOKEN, timeouts());
                work(transport.expect("all processes connect"))
            })
        };
        let started: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
        started.into_iter().map(|thread| thread.join().expect("no process panics")).collect()
    })
}

#[test]
fn numbers_of_any_length_arrive_in_order_and_are_counted() {
    let counted = together(3, |transport| {
        let (rank, size) = (transport.rank(), transport.size());
        for length in [0, 1, 3_000_000] {
            for other in (0..size).filter(|other| *other != rank) {
                transport.send(other, &vec![rank as u8; length]).unwrap();
            }
            for other in (0..size).filter(|other| *other != rank) {
                let mut bytes = vec![99; length];
                transport.receive(other, &mut bytes).unwrap();
                assert!(bytes.iter().all(|byte| usize::from(*byte) == other));
            }
        }
        (transport.bytes_sent(), transport.bytes_received())
    });
    assert_eq!(counted, [(6_000_002, 6_000_002); 3]);
}

#[test]
fn a_process_that_ends_is_named_by_all_others_at_once_also_by_who_waits_for_another_one() {
    let began = Instant::now();
    let found = together(3, |transport| {
        if transport.rank() == 2 {
            transport.fail("the file x.h5 is gone");
            return "it failed".to_string();
        }
        let mut bytes = [0; 8];
        // Neither sends: both would wait for ever.
        let error = transport.receive(1 - transport.rank(), &mut bytes).unwrap_err();
        assert_eq!(transport.lost(), Some(2));
        error.to_string()
    });
    for message in &found[..2] {
        assert!(message.starts_with("process 2 of the fit (127.0.0.1:"), "{message}");
        assert!(message.ends_with("is lost: the file x.h5 is gone"), "{message}");
    }
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_process_that_has_finished_does_not_end_the_others() {
    // Who leaves first without a word would be named by the other one.
    let both = Barrier::new(2);
    together(3, |transport| {
        if transport.rank() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
        let (other, mut bytes) = (3 - transport.rank(), [0; 4]);
        transport.send(other, &[1, 2, 3, 4]).unwrap();
        transport.receive(other, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4]);
        let error = transport.receive(0, &mut bytes).unwrap_err().to_string();
        both.wait();
        assert!(error.contains("it ended before the others"), "{error}");
    });
}

#[test]
fn who_does_not_come_or_does_not_know_the_token_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stranger = std::thread::spawn({
        let address = address.clone();
        move || {
            let own = TcpListener::bind("127.0.0.1:0").unwrap();
            let addresses = [address, own.local_addr().unwrap().to_string()];
            let timeouts = TcpTimeouts { connect: Duration::from_secs(2), ..timeouts() };
            let stranger = TcpTransport::connect(&own, (1, &addresses), [8; 16], timeouts).unwrap();
            stranger.receive(0, &mut [0]).unwrap_err().to_string()
        }
    });
    let addresses = [address, "127.0.0.1:1".to_string()];
    let short = TcpTimeouts { connect: Duration::from_secs(1), ..timeouts() };
    let error = TcpTransport::connect(&listener, (0, &addresses), TOKEN, short).unwrap_err().to_string();
    assert_eq!(error, "process 1 of the fit (127.0.0.1:1) can't be reached: it did not connect in time");
    assert!(stranger.join().unwrap().contains("process 0 of the fit"));
    let error = TcpTransport::connect(&listener, (1, &["127.0.0.1:1".into(), "".into()]), TOKEN, short);
    assert!(
        error.unwrap_err().to_string().starts_with("process 0 of the fit (127.0.0.1:1) can't be reached")
    );
}

#[test]
fn a_machine_without_a_sign_of_life_is_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let addresses = [silent.local_addr().unwrap().to_string(), listener.local_addr().unwrap().to_string()];
    let short = TcpTimeouts { silence: Duration::from_secs(1), ..timeouts() };
    // It accepts, and then says nothing: as a machine whose cable was cut.
    let transport = TcpTransport::connect(&listener, (1, &addresses), TOKEN, short).unwrap();
    let began = Instant::now();
    let error = transport.receive(0, &mut [0]).unwrap_err().to_string();
    assert!(error.ends_with("is lost: there is no sign of life from it"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(4));
}
