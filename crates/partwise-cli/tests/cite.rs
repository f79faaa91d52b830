//! Promise: every method can be cited; what is printed goes into a BibTeX file as it is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{run, stderr, succeed};
use std::path::Path;

#[test]
fn every_method_has_its_entries_after_that_of_partwise() {
    let here = Path::new(".");
    let partwise = succeed(here, "cite");
    assert!(partwise.starts_with("@misc{partwise,\n") && partwise.contains(env!("CARGO_PKG_VERSION")));
    for method in partwise::methods::ALL {
        let entries = succeed(here, &format!("cite {}", method.name));
        assert!(entries.starts_with(partwise.trim_end()), "{}", method.name);
        let count = entries.lines().filter(|line| line.starts_with('@')).count();
        assert!(count >= 2, "{} has no publication:\n{entries}", method.name);
        assert_eq!(entries.matches('{').count(), entries.matches('}').count(), "{}", method.name);
    }
    assert_eq!(succeed(here, "cite cnmf-kl"), succeed(here, "cite cnmf"));
}

#[test]
fn an_unknown_method_is_refused_with_the_valid_ones() {
    let output = run(Path::new("."), "cite nfm");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && stderr(&output).contains("ws-nmf"), "{}", stderr(&output));
}
