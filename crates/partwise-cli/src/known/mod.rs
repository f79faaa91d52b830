//! [`Known`]: everything that is known beside the data, as one [`Guidance`]. `gather` reads the files.

mod gather;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, ComponentsPerClass, Guidance, Topic};
use partwise::recipes::at_scale;
use partwise_io::Reference;
use serde_json::{Value, json};

use crate::labels::KnownClasses;

/// Everything that is known.
#[derive(Default)]
pub(crate) struct Known {
    /// As the method takes it. What is to be searched has the strength "auto".
    pub(crate) guidance: Guidance,
    /// One class for some of the samples; those that the fit does not use evaluate it.
    pub(crate) classes: Option<KnownClasses>,
    /// How many components each class has; a number is in the topics of the guidance.
    pub(crate) components_per_class: ComponentsPerClass,
    /// The references of a published method.
    pub(crate) reference: Option<Reference<f64>>,
    /// The files of guidance: kind, name, SHA-256.
    files: Vec<[String; 3]>,
    /// What the files' readers noticed: a code, and a sentence.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// Sentences on what was chosen for the user.
    pub(crate) chosen: Vec<String>,
}

impl Known {
    /// Adds classes that evaluate the fit, with their notes.
    pub(crate) fn set_classes(&mut self, mut classes: KnownClasses) {
        self.notes.extend(std::mem::take(&mut classes.notes).into_iter().map(|note| ("labels", note)));
        self.classes = Some(classes);
    }

    /// What the user should know of the guidance where many fits follow, none of which reports for itself.
    pub(crate) fn notes_of_many_fits(&self) -> Vec<String> {
        let read = self.notes.iter().map(|(_, note)| note.clone());
        read.chain(self.guidance.unknown_features().into_iter().map(|notice| notice.message)).collect()
    }

    /// Refuses components per class that the data decide; `what` cannot choose them.
    pub(crate) fn check_components(&self, what: &str) -> Result<()> {
        match self.components_per_class {
            ComponentsPerClass::Number(_) => Ok(()),
            ComponentsPerClass::Auto => {
                bail!("components per class \"auto\" are not supported with {what}; give a number")
            }
        }
    }

    /// The guidance with what is searched at the default times `scale`.
    pub(crate) fn at(&self, scale: f64) -> Guidance {
        at_scale(&self.guidance, scale)
    }

    /// What is known, for reports; `anything`: with the guidance of the method that takes any.
    pub(crate) fn facts(&self, anything: bool) -> Vec<(&'static str, String)> {
        let classes = self.classes.as_ref().map(|known| {
            let (count, used) = (known.class_names.len(), known.labels.n_labelled());
            let labelled = known.truth.iter().filter(|l| **l >= 0).count();
            format!("{count} classes; {labelled} samples have a label, the fit used {used} of them")
        });
        let reference = self.reference.as_ref().map(|reference| {
            format!("{} components from {}", reference.values.rows(), reference.path.display())
        });
        let guidance = anything.then(|| self.summary());
        let facts = [("Labels", classes), ("Reference", reference), ("Guidance", guidance)];
        facts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
    }

    /// What is known, in a line.
    fn summary(&self) -> String {
        let count = |n: usize, one: &str, many: &str| {
            (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
        };
        let topics = self.guidance.topics();
        let seeds = topics.iter().map(|topic| topic.seeds.len()).sum();
        let mut parts = vec![count(topics.len(), "topic", "topics"), count(seeds, "seed", "seeds")];
        parts.extend(self.guidance.advice().into_iter().map(|item| match item {
            Advice::Labels { labels, .. } => count(labels.n_labelled(), "label", "labels"),
            Advice::Sets { sets, .. } => {
                count(sets.iter().flatten().count(), "set of labels", "sets of labels")
            }
            Advice::Memberships { shares, .. } => {
                let known = |i: &usize| shares.row(*i).iter().any(|s| !s.is_nan());
                count((0..shares.rows()).filter(known).count(), "membership", "memberships")
            }
            Advice::References { names, .. } => count(names.len(), "reference", "references"),
            Advice::Links { must, cannot, .. } => count(must.len() + cannot.len(), "link", "links"),
            Advice::Graph { .. } => Some("a graph".into()),
            Advice::Spread(_) | Advice::Scorer(_) => None,
            Advice::SampleWeights(_) => Some("weights of the samples".into()),
            Advice::FeatureWeights(_) => Some("weights of the features".into()),
            _ => Some(item.kind().into()),
        }));
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// For run.json and the model: the files, and the strength of every item of the guidance that was fitted.
    pub(crate) fn to_json(&self, fitted: &Guidance) -> Value {
        let file =
            |[kind, file, sha256]: &[String; 3]| json!({ "kind": kind, "file": file, "sha256": sha256 });
        let topic = |topic: &Topic| {
            json!({ "name": topic.name, "components": topic.components, "seeds": topic.seeds.len(),
                "forbidden": topic.forbidden.len(), "strength": topic.strength })
        };
        let item = |item: &&Advice| json!({ "kind": item.kind(), "strength": item.strength() });
        json!({
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "topics": fitted.topics().iter().map(topic).collect::<Vec<_>>(),
            "items": fitted.advice().iter().map(item).collect::<Vec<_>>(),
        })
    }
}
