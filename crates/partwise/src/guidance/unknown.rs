//! Features that topics name and the data do not have.

use std::collections::HashSet;

use super::{Feature, Guidance};
use crate::foundation::{Notice, nearest};

/// Names for which the nearest feature is looked up: each is compared with all features.
const MOST_COMPARED: usize = 10;

impl Guidance {
    /// A notice for each seed and each forbidden feature that is not among the names of the features, with
    /// the nearest one, and for each topic without a seed that is. Every fit has them among its own; commands
    /// that fit many times report these. None if the features have no names.
    #[doc(hidden)]
    pub fn unknown_features(&self) -> Vec<Notice> {
        let Some(names) = self.feature_names() else { return Vec::new() };
        let topics = self.topics();
        let mut named =
            topics.iter().flat_map(|t| t.seeds.iter().map(|seed| &seed.feature).chain(&t.forbidden));
        if !named.any(|feature| matches!(feature, Feature::Name(_))) {
            return Vec::new();
        }
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let mut compared = 0;
        let mut unknown = |feature: &Feature, topic: &str, role: &str| {
            let Feature::Name(name) = feature else { return None };
            if known.contains(name.as_str()) {
                return None;
            }
            compared += 1;
            let near = (compared <= MOST_COMPARED).then(|| nearest(name, names.iter().map(String::as_str)));
            let near = near.flatten().map_or(String::new(), |near| format!(" (nearest: \"{near}\")"));
            Some(Notice {
                code: "unknown-feature",
                message: format!(
                    "the {role} \"{name}\" of topic \"{topic}\" is not a feature{near}; it is left out"
                ),
            })
        };
        let mut notices = Vec::new();
        for topic in topics {
            let of_topic: Vec<Notice> =
                topic.seeds.iter().filter_map(|seed| unknown(&seed.feature, &topic.name, "seed")).collect();
            let none = !topic.seeds.is_empty() && of_topic.len() == topic.seeds.len();
            notices.extend(of_topic);
            if none {
                notices.push(Notice {
                    code: "seeds-without-match",
                    message: format!(
                        "none of the seeds of topic \"{}\" is a feature, so the topic is not guided; correct \
                        the seeds, or remove the topic",
                        topic.name
                    ),
                });
            }
        }
        for topic in topics {
            let forbidden = topic.forbidden.iter();
            notices.extend(forbidden.filter_map(|f| unknown(f, &topic.name, "forbidden feature")));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guidance::Topic;
    use crate::{DenseMatrix, Model, Settings, fit};

    #[test]
    fn a_fit_has_these_notices_and_only_the_first_unknown_names_are_compared() {
        let names = ["ball", "goal", "court"].map(String::from).to_vec();
        let sport = Topic::new("sport").with_seeds(["ball", "gaol"]).without(["cuort"]);
        let other = Topic::new("other").with_seeds((0..12).map(|i| Feature::Name(format!("bal{i}"))));
        let guidance = Guidance::new([sport, other]).with_feature_names(names);
        let found = guidance.unknown_features();
        let of = |code| found.iter().filter(move |notice| notice.code == code);
        assert_eq!((of("unknown-feature").count(), of("seeds-without-match").count()), (14, 1));
        assert!(
            found[0].message.contains("\"gaol\" of topic \"sport\" is not a feature (nearest: \"goal\")")
        );
        assert_eq!(found.iter().filter(|notice| notice.message.contains("nearest")).count(), MOST_COMPARED);
        assert!(found.last().expect("there are some").message.contains("the forbidden feature \"cuort\""));
        let x = DenseMatrix::new(3, 3, vec![1.0, 2.0, 0.0, 0.0, 1.0, 3.0, 2.0, 0.0, 1.0]).expect("a matrix");
        let fitted = fit(&x, &Model::guided(guidance), &Settings::new(2)).expect("a fit");
        assert!(found.iter().all(|notice| fitted.notices.contains(notice)), "{:?}", fitted.notices);
    }
}
