//! Topics and their words, in every shape that people write.

use partwise::guidance::{Feature, Seed, Topic};

use super::Reader;
use crate::error::Result;
use crate::toml_serde::{Field, read};
use crate::toml_text::Item;
use crate::toml_value::Value;
use crate::topics::{SeedList, TopicEntry};

const WORDS: &str = "a list of words, as in [\"ball\", { word = \"goal\", weight = 2 }]";

impl Reader<'_> {
    pub(super) fn topics(&mut self, item: &Item<'_>) -> Result<Vec<TopicEntry>> {
        let wanted = "a list of topics, or a table of words by the name of the topic";
        if let Some(entries) = item.as_entries() {
            return entries.iter().map(|(name, item)| self.named_topic(name, item)).collect();
        }
        let Some(list) = item.as_list() else { return item.refuse(wanted) };
        let texts = list.iter().filter(|entry| entry.as_text().is_some()).count();
        if texts > 0 && texts < list.len() {
            let odd = list.iter().find(|entry| entry.as_text().is_none()).unwrap_or(item);
            return Err(odd.fault(
                "topics mixes words with other entries; use one kind: tables, lists of words, or words",
            ));
        }
        if texts > 0 {
            self.notes.push(format!(
                "topics is a flat list: each of its {texts} words seeds a topic of its own, named by the word"
            ));
        }
        let mut topics: Vec<TopicEntry> = Vec::new();
        for (at, entry) in list.iter().enumerate() {
            let topic = match (entry.as_text(), entry.as_list()) {
                (Some(word), _) => self.named_topic(word, entry)?,
                (None, Some(_)) => self.named_topic(&format!("topic {}", at + 1), entry)?,
                (None, None) => self.topic(None, entry)?,
            };
            if topics.iter().any(|other| other.topic.name == topic.topic.name) {
                return Err(entry.fault(format!("two topics are named \"{}\"", topic.topic.name)));
            }
            topics.push(topic);
        }
        Ok(topics)
    }

    /// A topic whose name is known: its words, or a table.
    fn named_topic(&mut self, name: &str, item: &Item<'_>) -> Result<TopicEntry> {
        let item = item.clone().called(format!("the topic \"{name}\""));
        if item.as_entries().is_some() {
            return self.topic(Some(name), &item);
        }
        if name.trim().is_empty() {
            return Err(item.fault("a topic has no name"));
        }
        Ok(TopicEntry { topic: Topic { seeds: self.seeds(&item)?, ..Topic::new(name) }, strength: None })
    }

    fn topic(&mut self, name: Option<&str>, item: &Item<'_>) -> Result<TopicEntry> {
        let item = if name.is_some() { item.clone() } else { item.clone().called("a topic") };
        let valid = if name.is_some() { &Topic::FIELDS[1..] } else { Topic::FIELDS };
        let Some(keys) = item.as_keys(valid)? else {
            return item.refuse("a table with name, seeds, ..., a list of words, or a word");
        };
        let name = match name {
            Some(name) => name,
            None => keys.need("name", "the name of the topic")?.text("the name of the topic")?,
        };
        let mut fields = vec![Field { name: "name", value: name.into(), place: None }];
        for field in Topic::FIELDS.iter().filter(|field| **field != "name") {
            let Some(place) = keys.get(field) else { continue };
            let value = match *field {
                "seeds" => Value::List(self.seeds(place)?.into_iter().map(seed).collect()),
                "forbidden" => {
                    Value::List(self.seeds(place)?.into_iter().map(|seed| feature(seed.feature)).collect())
                }
                _ => place.value(),
            };
            fields.push(Field { name: field, value, place: Some(place.clone()) });
        }
        let topic: Topic = read(&fields, &item)?;
        let strength = keys.get("strength");
        if let Some(place) = strength {
            topic.check_strength().map_err(|error| place.fault(error.to_string()))?;
        }
        Ok(TopicEntry { strength: strength.map(|_| topic.strength), topic })
    }

    /// Words: one, a list, lists in a list, or weights by word. A word that comes again counts once, with its
    /// largest weight.
    fn seeds(&mut self, item: &Item<'_>) -> Result<Vec<Seed>> {
        let mut list = SeedList::default();
        self.add_seeds(item, 0, &mut list)?;
        Ok(list.seeds)
    }

    fn add_seeds(&mut self, item: &Item<'_>, depth: usize, seeds: &mut SeedList) -> Result<()> {
        let weight_of =
            |item: &Item<'_>| item.number("a finite number above 0", |w| w > 0.0 && w.is_finite());
        if let Some(list) = item.as_list().filter(|_| depth < 2) {
            if depth == 1 {
                self.notes.push(format!("{}: lists in the list were joined", item.what()));
            }
            return list.iter().try_for_each(|entry| self.add_seeds(entry, depth + 1, seeds));
        }
        if depth == 0
            && let Some(entries) = item.as_entries()
        {
            for (word, weight) in entries {
                let feature = self.names.feature(word).map_err(|message| weight.fault(message))?;
                seeds.push(Seed { feature, weight: weight_of(&weight)? });
            }
            return Ok(());
        }
        if let Some(keys) = item.as_keys(&["word", "weight"])? {
            let feature = self.feature(keys.need("word", "the word itself")?)?;
            let weight = keys.get("weight").map_or(Ok(1.0), weight_of)?;
            seeds.push(Seed { feature, weight });
            return Ok(());
        }
        if depth == 0 && item.as_text().is_none() {
            return item.refuse(WORDS);
        }
        seeds.push(Seed { feature: self.feature(item)?, weight: 1.0 });
        Ok(())
    }

    fn feature(&self, item: &Item<'_>) -> Result<Feature> {
        let found = match (item.as_text(), item.as_whole(0)) {
            (Some(text), _) if text.trim().is_empty() => Err(format!("{} is empty", item.what())),
            (Some(text), _) => self.names.feature(text),
            (None, Some(column)) => self.names.column(column as u64),
            (None, None) => {
                return item.refuse("a word, the number of a feature from 0, or { word, weight }");
            }
        };
        found.map_err(|message| item.fault(message))
    }
}

/// A feature in the schema of the library.
fn feature(feature: Feature) -> Value {
    match feature {
        Feature::Name(name) => Value::Text(name),
        Feature::Index(column) => Value::Whole(column as i64),
    }
}

fn seed(seed: Seed) -> Value {
    Value::List(vec![feature(seed.feature), Value::Number(seed.weight)])
}
