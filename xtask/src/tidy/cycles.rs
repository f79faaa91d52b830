//! Cycles of modules: which modules reach each other, which few edges close the cycles, and in which layers
//! the rest lie.

use std::collections::{BTreeMap, BTreeSet};

/// Modules and which of them uses which, with the number of lines that do.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    names: Vec<String>,
    weights: BTreeMap<(usize, usize), usize>,
}

impl Graph {
    /// A graph of `nodes` (those of edges are added).
    pub(super) fn new<'a>(
        nodes: impl IntoIterator<Item = &'a str>,
        edges: impl IntoIterator<Item = (&'a str, &'a str, usize)>,
    ) -> Self {
        let edges: Vec<_> = edges.into_iter().collect();
        let ends = edges.iter().flat_map(|&(from, to, _)| [from, to]);
        let names: BTreeSet<&str> = nodes.into_iter().chain(ends).collect();
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        let place = |name: &str| names.binary_search_by(|other| other.as_str().cmp(name));
        let mut weights = BTreeMap::new();
        for (from, to, weight) in edges {
            if let (Ok(from), Ok(to)) = (place(from), place(to)) {
                weights.insert((from, to), weight);
            }
        }
        Graph { names, weights }
    }

    /// The groups of modules that all reach each other, largest first. Modules in no cycle are left out.
    pub(super) fn cycles(&self) -> Vec<Vec<&str>> {
        let mut groups: Vec<Vec<usize>> =
            self.components().into_iter().filter(|group| group.len() > 1).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups.iter().map(|group| group.iter().map(|&node| self.names[node].as_str()).collect()).collect()
    }

    /// The edges that close the cycles among `group`: without them it has none. Few lines rather than many.
    pub(super) fn closing_edges(&self, group: &[&str]) -> Vec<(&str, &str)> {
        let mut order: Vec<usize> =
            (0..self.names.len()).filter(|&node| group.contains(&self.names[node].as_str())).collect();
        let mut best = self.backward(&order);
        // Each module is tried at each place of the order, until nothing gets better.
        loop {
            let before = best;
            for from in 0..order.len() {
                for to in 0..order.len() {
                    let mut tried = order.clone();
                    let node = tried.remove(from);
                    tried.insert(to, node);
                    let weight = self.backward(&tried);
                    if weight < best {
                        (order, best) = (tried, weight);
                    }
                }
            }
            if best == before {
                break;
            }
        }
        let position = |node: usize| order.iter().position(|&other| other == node);
        let edges = self.weights.keys().filter(|&&(from, to)| match (position(from), position(to)) {
            (Some(from), Some(to)) => from < to,
            _ => false,
        });
        edges.map(|&(from, to)| (self.names[from].as_str(), self.names[to].as_str())).collect()
    }

    /// How many lines use a module that comes later in the order.
    fn backward(&self, order: &[usize]) -> usize {
        let mut position = vec![usize::MAX; self.names.len()];
        for (place, &node) in order.iter().enumerate() {
            position[node] = place;
        }
        let inside = |node: usize| position[node] != usize::MAX;
        self.weights
            .iter()
            .filter(|&(&(from, to), _)| inside(from) && inside(to) && position[from] < position[to])
            .map(|(_, weight)| weight)
            .sum()
    }

    /// The shortest way from one module to another, both included.
    pub(super) fn way(&self, from: &str, to: &str) -> Vec<&str> {
        let node = |name: &str| self.names.iter().position(|other| other == name);
        let (Some(from), Some(to)) = (node(from), node(to)) else { return Vec::new() };
        let mut ways = vec![vec![from]];
        let mut seen = BTreeSet::from([from]);
        while let Some(position) = ways.iter().position(|way| !way.is_empty()) {
            let way = ways.remove(position);
            let last = way[way.len() - 1];
            if last == to {
                return way.iter().map(|&node| self.names[node].as_str()).collect();
            }
            for next in self.next(last) {
                if seen.insert(next) {
                    ways.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        Vec::new()
    }

    /// The layer of each module: 0 uses nothing, and each lies above all that it uses. A cycle shares one
    /// layer.
    pub(super) fn layers(&self) -> Vec<(usize, &str)> {
        let components = self.components();
        let mut home = vec![0; self.names.len()];
        for (number, group) in components.iter().enumerate() {
            group.iter().for_each(|&node| home[node] = number);
        }
        let mut layers = vec![0; components.len()];
        for _ in 0..components.len() {
            for &(from, to) in self.weights.keys() {
                if home[from] != home[to] {
                    layers[home[from]] = layers[home[from]].max(layers[home[to]] + 1);
                }
            }
        }
        let mut result: Vec<(usize, &str)> =
            self.names.iter().enumerate().map(|(node, name)| (layers[home[node]], name.as_str())).collect();
        result.sort_unstable();
        result
    }

    fn next(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.weights.range((node, 0)..(node + 1, 0)).map(|(&(_, to), _)| to)
    }

    /// Modules grouped by whether they reach each other.
    fn components(&self) -> Vec<Vec<usize>> {
        let reached: Vec<BTreeSet<usize>> = (0..self.names.len()).map(|node| self.reached(node)).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for node in 0..self.names.len() {
            let home = groups.iter().position(|group| {
                let other = group[0];
                reached[node].contains(&other) && reached[other].contains(&node)
            });
            match home {
                Some(home) => groups[home].push(node),
                None => groups.push(vec![node]),
            }
        }
        groups
    }

    fn reached(&self, start: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(node) = waiting.pop() {
            waiting.extend(self.next(node).filter(|&next| reached.insert(next)));
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Graph {
        let edges = [("a", "b", 5), ("b", "c", 4), ("c", "a", 1), ("d", "a", 1), ("c", "ground", 2)];
        Graph::new(["alone"], edges)
    }

    #[test]
    fn modules_that_reach_each_other_form_a_cycle() {
        assert_eq!(example().cycles(), [["a", "b", "c"]]);
        assert!(Graph::new([], [("a", "b", 1), ("a", "c", 1), ("b", "c", 1)]).cycles().is_empty());
    }

    #[test]
    fn the_edge_of_the_fewest_lines_closes_the_cycle() {
        assert_eq!(example().closing_edges(&["a", "b", "c"]), [("c", "a")]);
        assert_eq!(example().way("a", "c"), ["a", "b", "c"]);
        assert!(example().way("a", "d").is_empty());
    }

    #[test]
    fn without_the_closing_edges_no_cycle_is_left() {
        let nodes = ["a", "b", "c", "d"];
        let edges: Vec<(&str, &str, usize)> = nodes
            .iter()
            .flat_map(|&from| nodes.iter().filter(move |&&to| to != from).map(move |&to| (from, to, 1)))
            .collect();
        let graph = Graph::new([], edges.iter().copied());
        let closing = graph.closing_edges(&nodes);
        let rest = edges.iter().copied().filter(|&(from, to, _)| !closing.contains(&(from, to)));
        assert!(Graph::new([], rest).cycles().is_empty());
    }

    #[test]
    fn layers_lie_above_what_they_use() {
        let graph = example();
        assert_eq!(graph.layers(), [(0, "alone"), (0, "ground"), (1, "a"), (1, "b"), (1, "c"), (2, "d")]);
    }
}
