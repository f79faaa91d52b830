//! Promise 10: every reference fixture, to its tolerance. `PARTWISE_FIXTURES` names another folder than the
//! crate's own.

use partwise_lab::golden::runners::{NOT_BUILT, RUNNERS};
use partwise_lab::golden::{FOLDER_VARIABLE, check_folder, fixtures_folder};

#[test]
fn every_fixture_matches() {
    let named = std::env::var(FOLDER_VARIABLE).ok();
    let folder = fixtures_folder(named.as_deref()).unwrap();
    let report = check_folder(&folder, RUNNERS, NOT_BUILT).unwrap();
    println!("{}: {report}", folder.display());
    assert!(report.failures.is_empty(), "{report}");
    assert!(!report.compared.is_empty(), "no fixture was compared: {report}");
}
