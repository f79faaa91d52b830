//! Several processes that run one fit, connected by TCP.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use partwise::blocks::Transport;
use partwise_io::{TcpTimeouts, TcpTransport};
use pyo3::exceptions::{PyConnectionError, PyOSError};
use pyo3::prelude::*;

/// Where this process waits for the others.
#[pyclass(frozen, module = "partwise._native")]
pub(crate) struct Listener(TcpListener);

#[pymethods]
impl Listener {
    /// At a free port of a host of this machine.
    #[new]
    fn new(host: &str) -> PyResult<Self> {
        let listener = TcpListener::bind((host, 0));
        listener.map(Listener).map_err(|error| PyOSError::new_err(format!("listening at {host}: {error}")))
    }

    #[getter]
    fn port(&self) -> PyResult<u16> {
        Ok(self.0.local_addr()?.port())
    }

    /// Connects process `rank` to the processes at all `addresses`, within so many seconds.
    fn connect(
        &self,
        py: Python<'_>,
        rank: usize,
        addresses: Vec<String>,
        token: [u8; 16],
        seconds: f64,
    ) -> PyResult<Processes> {
        let timeouts = TcpTimeouts { connect: Duration::from_secs_f64(seconds), ..TcpTimeouts::default() };
        let connected = py.detach(|| TcpTransport::connect(&self.0, (rank, &addresses), token, timeouts));
        match connected {
            Ok(transport) => Ok(Processes { transport: Arc::new(transport) }),
            Err(error) => Err(PyConnectionError::new_err(error.to_string())),
        }
    }
}

/// The processes of a fit, connected.
#[pyclass(frozen, module = "partwise._native")]
pub(crate) struct Processes {
    pub(crate) transport: Arc<TcpTransport>,
}

#[pymethods]
impl Processes {
    /// The number of the process that was lost or has failed, if one has.
    #[getter]
    fn lost(&self) -> Option<usize> {
        self.transport.lost()
    }

    /// Bytes of numbers that were sent so far, and received.
    #[getter]
    fn bytes(&self) -> (u64, u64) {
        (self.transport.bytes_sent(), self.transport.bytes_received())
    }

    /// Ends the work of all processes, with a reason.
    fn fail(&self, py: Python<'_>, reason: &str) {
        py.detach(|| self.transport.fail(reason));
    }
}
