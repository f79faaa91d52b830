//! The name that was probably meant, for messages.

/// Letters of a name that are compared.
const MOST_LETTERS: usize = 100;

/// The name of `valid` that is most like `given`, if one is like it: at most a third of its letters differ
/// (letters added, left out, changed, or swapped with a neighbour), case aside. Of names equally like it, the
/// one with the same letters, else the first by alphabet, in whatever order they come.
pub fn nearest<'v>(given: &str, valid: impl IntoIterator<Item = &'v str>) -> Option<&'v str> {
    let (given, mut other) = (lower(given).collect::<String>(), String::new());
    let (length, set) = (given.chars().count(), letters(given.chars()));
    let near = |name: &'v str| {
        let other_length = lower(name).count();
        let most = length.max(other_length).div_ceil(3);
        // Both are lower bounds of the distance, and much cheaper: the difference in length; and half the
        // letters that only one of them has, because a change takes one and adds one.
        let differ = (set ^ letters(lower(name))).count_ones() as usize;
        if length.abs_diff(other_length) > most || differ > 2 * most {
            return None;
        }
        other.clear();
        other.extend(lower(name));
        let steps = strsim::osa_distance(&given, &other);
        let is_near = steps <= most && steps < length.max(other_length);
        is_near.then(|| (steps, sorted(&given) != sorted(&other), name))
    };
    valid.into_iter().filter_map(near).min().map(|(_, _, name)| name)
}

fn lower(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().flat_map(char::to_lowercase).take(MOST_LETTERS)
}

fn sorted(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}

/// The letters of a name as bits. Different letters may share a bit.
fn letters(name: impl Iterator<Item = char>) -> u64 {
    name.fold(0, |set, letter| set | 1 << (u32::from(letter) % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_strange_one_has_none() {
        let valid = ["seeds", "strength", "name", "components"];
        for (given, expected) in [("seed", "seeds"), ("Strenght", "strength"), ("nmae", "name")] {
            assert_eq!(nearest(given, valid), Some(expected));
        }
        assert_eq!((nearest("colour", valid), nearest("", valid)), (None, None));
        for order in [["d1", "d11"], ["d11", "d1"]] {
            assert_eq!(nearest("dd1", order), Some("d1"), "the same whatever the order");
        }
        assert_eq!(nearest("gaol", ["aol", "goal"]), Some("goal"), "the same letters");
        assert_eq!(nearest("word1x", ["word18", "word1"]), Some("word1"), "x and 8 share a bit");
    }

    #[test]
    fn no_name_within_the_distance_is_skipped() {
        let words =
            ["goal", "gaol", "GOAL", "ball", "bail", "league", "colleague", "CD3D", "CD3E", "ÉTÉ", ""];
        for given in words {
            for name in words {
                let [one, other] = [given, name].map(|name| lower(name).collect::<String>());
                let longest = one.chars().count().max(other.chars().count());
                let steps = strsim::osa_distance(&one, &other);
                let expected = steps <= longest.div_ceil(3) && steps < longest;
                assert_eq!(nearest(given, [name]).is_some(), expected, "{given}, {name}");
            }
        }
    }
}
