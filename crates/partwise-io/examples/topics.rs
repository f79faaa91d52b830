//! From a file to topics: reads a table of counts, fits topics with seed words, prints their top words, saves
//! the model, loads it again, and finds the topic of a new text.
//!
//! ```sh
//! cargo run -p partwise-io --example topics
//! ```

// Printing is what this example does.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use partwise::guidance::{Guidance, Topic};
use partwise::{DenseMatrix, Fit, Iteration, Loss, Settings, encode, recipes};
use partwise_io::{ModelFile, ReadOptions, Tensor, encoding_json, read_table};
use serde_json::json;

/// Six texts as counts of their words.
const COUNTS: &str = "\
text,ball,goal,court,judge,said
d1,3,2,0,0,1
d2,2,1,0,1,1
d3,0,0,3,2,2
d4,0,1,2,4,1
d5,1,2,0,0,0
d6,0,0,1,2,1
";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (file, saved) = (folder.path().join("counts.csv"), folder.path().join("model.safetensors"));
    std::fs::write(&file, COUNTS)?;

    // Read: any format of `partwise fit`, with the names of rows and columns where the file has them.
    let table = read_table(&file, &ReadOptions::default())?;
    let words = table.column_names.ok_or("the table has no header")?;
    let texts = table.row_names.ok_or("the table has no names of rows")?;
    let data = table.values.into_data::<f64>()?;

    // Fit: two topics with seeds.
    let guidance = Guidance::new([
        Topic::new("sport").with_seeds(["ball"]),
        Topic::new("law").with_seeds(["court"]).without(["ball"]),
    ])
    .with_feature_names(words.clone());
    let fitted = recipes::fit_guided(
        data.as_ref(),
        &guidance,
        Loss::Frobenius,
        &Settings::new(guidance.n_components()),
        &mut progress,
    )?;

    // Look: the words with the largest values in each topic, and the topic of each text.
    for (j, topic) in fitted.fit.component_names.iter().enumerate() {
        let component = fitted.fit.components.row(j);
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by(|&a, &b| component[b].total_cmp(&component[a]));
        let top: Vec<&str> = order.iter().take(3).map(|&word| words[word].as_str()).collect();
        println!("{topic}: {}", top.join(", "));
    }
    for (i, text) in texts.iter().enumerate() {
        println!("{text}: {}", fitted.fit.component_names[largest(fitted.fit.codes.row(i))]);
    }

    save(&fitted.fit, &words, &saved)?;
    // A text in which the court and the judge occur.
    println!("a new text: {}", topic_of(&[0.0, 0.0, 2.0, 1.0, 0.0], &saved)?);
    Ok(())
}

/// Writes the components, and what is needed to encode new rows, into a model file.
fn save(fit: &Fit<f64>, words: &[String], path: &Path) -> Result<(), Box<dyn Error>> {
    let mut document = serde_json::Map::new();
    document.insert("component_names".into(), json!(fit.component_names));
    document.insert("feature_names".into(), json!(words));
    document.insert("settings".into(), json!({ "loss": fit.loss.name() }));
    document.insert("encoding".into(), encoding_json(fit.encoding()));
    let tensors = vec![("components".to_string(), Tensor::new(&fit.components))];
    Ok(ModelFile { document, tensors }.write(path)?)
}

/// The topic of a new text, by a model file.
fn topic_of(counts: &[f64], path: &Path) -> Result<String, Box<dyn Error>> {
    let model = ModelFile::read(path)?;
    let components = model.tensor("components").ok_or("the model has no components")?.to_matrix::<f64>();
    let k = components.rows();
    let encoded = encode(
        &DenseMatrix::borrowed(1, counts.len(), counts)?,
        &components,
        &model.encoding(path)?,
        model.loss()?.unwrap_or_default(),
        &Settings::new(k),
        &mut progress,
    )?;
    Ok(model.component_names(k)[largest(encoded.codes.row(0))].clone())
}

/// Called after each iteration; `Break` would stop the fit.
fn progress(_: &Iteration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The place of the largest value.
fn largest(values: &[f64]) -> usize {
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0)
}
