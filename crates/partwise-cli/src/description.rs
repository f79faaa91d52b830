//! What a fit is: everything that its numbers depend on, by which a checkpoint knows its fit again.

use anyhow::Result;
use partwise::Real;
use partwise_io::{fit_description, scaling_json};
use serde_json::{Map, Value, json};

use crate::job::Job;
use crate::request::FitRequest;

/// Everything that the numbers of a fit depend on. Limits (iterations, time, threads, memory) may change when
/// it is resumed.
pub(crate) fn description<T: Real>(request: &FitRequest, job: &Job<'_, T>) -> Result<Map<String, Value>> {
    let source = job.source;
    let document = json!({
        "data": source.sha256,
        "key": source.key,
        "layer": source.layer,
        "samples": source.rows,
        "features": source.columns,
        "in blocks": job.data.blocks().is_some(),
        "scaling": scaling_json(job.scaling),
        "start from": request.start.as_ref().map(|path| path.display().to_string()),
    });
    let Value::Object(mut map) = document else { unreachable!("a description is an object") };
    map.extend(fit_description::<T>(&job.model, &job.settings)?);
    Ok(map)
}
