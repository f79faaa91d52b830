//! What a fit is: everything that its numbers depend on, by which a checkpoint knows its fit again.

use anyhow::Result;
use partwise::Real;
use partwise_io::{scaling_json, sha256_hex};
use serde_json::{Map, Value, json};

use crate::job::Job;
use crate::request::FitRequest;

/// Everything that the numbers of a fit depend on. Limits (iterations, time, threads, memory) may change when
/// it is resumed.
pub(crate) fn description<T: Real>(request: &FitRequest, job: &Job<'_, T>) -> Result<Map<String, Value>> {
    let (settings, source) = (&job.settings, job.source);
    let guidance = sha256_hex(&serde_json::to_vec(job.model.guidance())?);
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "data": source.sha256,
        "key": source.key,
        "layer": source.layer,
        "samples": source.rows,
        "features": source.columns,
        "in blocks": job.data.blocks().is_some(),
        "number type": T::NAME,
        "scaling": scaling_json(job.scaling),
        "method": job.model.spec().name,
        "loss": job.model.loss().name(),
        "options": format!("{:?}", job.model.options()),
        "guidance": guidance,
        "rank": settings.rank,
        "seed": settings.seed,
        "solver": format!("{:?}", settings.solver),
        "inner steps": settings.inner_steps,
        "acceleration": settings.acceleration.name(),
        "start": settings.init.name(),
        "start from": request.start.as_ref().map(|path| path.display().to_string()),
        "first factor": format!("{:?}", settings.first),
        "tolerance": settings.tolerance,
        "l1": [settings.l1.0, settings.l1.1],
        "l2": [settings.l2.0, settings.l2.1],
    });
    let Value::Object(map) = document else { unreachable!("a description is an object") };
    Ok(map)
}
