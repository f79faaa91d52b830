//! What identifies the fits of a consensus: the header of the folder of finished fits, and run.json.

use partwise::{Real, solvers};
use partwise_io as io;
use serde_json::{Map, Value, json};

use crate::job::Job;
use crate::record;
use crate::request::CellsRequest;

/// All that changes a fit but its k and its number.
pub(super) fn header<T: Real>(job: &Job<'_, T>, cells: Option<&CellsRequest>) -> Map<String, Value> {
    let mut data = record::data_json(job.source, T::NAME);
    // The same data may be reached by another path.
    data.as_object_mut().and_then(|data| data.remove("file"));
    let guidance = serde_json::to_vec(job.model.guidance()).unwrap_or_default();
    let mut header = Map::new();
    header.insert("command".into(), json!("consensus"));
    header.insert("data".into(), data);
    header.insert("scale".into(), io::scaling_json(job.scaling));
    header.insert("settings".into(), Value::Object(settings_json(job)));
    header.insert("factored_genes".into(), json!(cells.map(|cells| cells.genes)));
    header.insert("guidance_sha256".into(), json!(io::sha256_hex(&guidance)));
    header
}

/// The settings that all fits share.
pub(super) fn settings_json<T: Real>(job: &Job<'_, T>) -> Map<String, Value> {
    let (settings, mut out) = (&job.settings, Map::new());
    let solver = solvers::ALL.iter().find(|spec| spec.choice == settings.solver).map(|spec| spec.name);
    let solver = solver.unwrap_or("auto");
    let mut set = |key: &str, value: Value| out.insert(key.into(), value);
    set("method", json!(job.model.spec().name));
    set("loss", json!(job.model.loss().name()));
    set("solver", json!(solver));
    set("inner_steps", json!(settings.inner_steps));
    set("acceleration", json!(settings.acceleration.name()));
    set("init", json!(settings.init.name()));
    set("first", json!(settings.first.map(|slot| slot.name())));
    set("seed", json!(settings.seed));
    set("tolerance", json!(settings.tolerance));
    set("max_iterations", json!(settings.max_iterations));
    set("l1", json!([settings.l1.0, settings.l1.1]));
    set("l2", json!([settings.l2.0, settings.l2.1]));
    out.extend(record::parameters(&job.model).into_iter().map(|(key, value)| (key.to_string(), value)));
    out
}
