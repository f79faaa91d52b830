//! Promise: names decide. A file about samples or features gives the same bits in any order of its rows and
//! columns, and what can't be matched is refused with the nearest name; numbers that may be names are never
//! resolved in silence.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{json, numbers, run, stderr, succeed};

const WORDS: [&str; 5] = ["ball", "goal", "court", "judge", "team"];
const SAMPLES: usize = 12;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// A table as text, with its rows and columns in the orders given.
fn table(
    rows: &[String],
    columns: &[&str],
    order: (&[usize], &[usize]),
    value: impl Fn(usize, usize) -> f64,
) -> String {
    let head: Vec<&str> = order.1.iter().map(|j| columns[*j]).collect();
    let mut text = format!("name,{}\n", head.join(","));
    for i in order.0 {
        let cells: Vec<String> = order.1.iter().map(|j| format!("{:.6}", value(*i, *j))).collect();
        text.push_str(&format!("{},{}\n", rows[*i], cells.join(",")));
    }
    text
}

fn samples() -> Vec<String> {
    (0..SAMPLES).map(|i| format!("d{i}")).collect()
}

/// Both orders of something: as it is, and another one.
fn orders(count: usize) -> [Vec<usize>; 2] {
    [(0..count).collect(), (0..count).map(|at| (at * 7 + 3) % count).collect()]
}

/// 12 documents × 5 words in two topics; the same with columns in another order.
fn documents(folder: &Path) {
    let noise = numbers(SAMPLES * 5, 11);
    let value = |i: usize, j: usize| {
        let own = i.is_multiple_of(2) == (j < 2 || j == 4);
        noise[i * 5 + j] * if own { 6.0 } else { 0.3 } + 0.1
    };
    let [plain, other] = orders(5);
    let rows: Vec<usize> = (0..SAMPLES).collect();
    write(folder, "docs.csv", &table(&samples(), &WORDS, (&rows, &plain), value));
    write(folder, "other.csv", &table(&samples(), &WORDS, (&rows, &other), value));
}

/// The codes and the components that a command line gives.
fn result(folder: &Path, arguments: &str, out: &str) -> (Vec<u8>, Vec<u8>) {
    succeed(folder, &format!("fit docs.csv {arguments} --max-iter 20 --tol 0 --quiet --out {out}"));
    let read = |name: &str| std::fs::read(folder.join(out).join(name)).unwrap();
    (read("codes.npy"), read("components.npy"))
}

/// A file about rows × columns in both orders.
fn both(folder: &Path, name: &str, rows: &[String], columns: &[&str], value: impl Fn(usize, usize) -> f64) {
    let (rows_in, columns_in) = (orders(rows.len()), orders(columns.len()));
    for at in 0..2 {
        let text = table(rows, columns, (&rows_in[at], &columns_in[at]), &value);
        write(folder, &format!("{name}{at}.csv"), &text);
    }
}

#[test]
fn the_order_of_rows_and_columns_of_any_file_changes_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    let noise = numbers(400, 3);
    let names = samples();
    let profiles: Vec<String> = ["law", "sport"].map(String::from).to_vec();
    let one = |text: &str| vec![text.to_string()];
    let words: Vec<String> = WORDS.map(String::from).to_vec();
    let of_samples: Vec<&str> = names.iter().map(String::as_str).collect();
    // Rows of references are topics, whose order is that of the components: only the columns move.
    for (at_order, order) in orders(5).iter().enumerate() {
        let text = table(&profiles, &WORDS, (&[0, 1], order), |i, j| noise[i * 5 + j]);
        write(at, &format!("reference{at_order}.csv"), &text);
    }
    both(at, "entries", &names, &WORDS, |i, j| noise[i * 5 + j] + 0.5);
    both(at, "features", &words, &["weight"], |i, _| noise[i] + 0.1);
    both(at, "weights", &names, &["weight"], |i, _| noise[i] + 0.1);
    both(at, "graph", &names, &of_samples, |i, j| f64::from(u8::from(i != j && (i + j).is_multiple_of(4))));
    for (at_order, order) in orders(SAMPLES).iter().enumerate() {
        // Topics of memberships stay in their order; half of the samples are left out.
        let half: Vec<usize> = order.iter().copied().filter(|i| i % 2 == 1).collect();
        let text = table(&names, &["law", "sport"], (&half, &[0, 1]), |i, j| noise[2 * i + j]);
        write(at, &format!("shares{at_order}.csv"), &text);
        let text = table(&names, &["law", "sport"], (order, &[0, 1]), |i, j| f64::from(u8::from(i % 2 == j)));
        write(at, &format!("targets{at_order}.csv"), &text);
        let lines = order.iter().map(|i| format!("{},{}\n", names[*i], ["law", "sport"][i % 2]));
        write(at, &format!("labels{at_order}.csv"), &format!("name,label\n{}", lines.collect::<String>()));
    }
    for at_order in 0..2 {
        let toml = |item: &str, file: &str| format!("{item} = \"{file}{at_order}.csv\"\n");
        for (name, text) in [
            ("memberships", toml("memberships", "shares")),
            ("sample", toml("sample_weights", "weights")),
            ("feature", toml("feature_weights", "features")),
            ("graphs", toml("graph", "graph")),
            ("given", toml("labels", "labels")),
            ("profiles", toml("references", "reference")),
        ] {
            write(at, &format!("{name}{at_order}.toml"), &text);
        }
    }
    let cases = [
        one("--method guided --reference reference{}.csv"),
        one("--method ws-nmf --reference reference{}.csv -k 3"),
        one("--guidance profiles{}.toml"),
        one("--guidance memberships{}.toml"),
        one("--guidance sample{}.toml -k 2"),
        one("--guidance feature{}.toml -k 2"),
        one("--guidance graphs{}.toml -k 2"),
        one("--guidance given{}.toml"),
        one("--method gnmf -k 2 --graph graph{}.csv"),
        one("--method guided -k 2 --entry-weights entries{}.csv --graph-neighbours 2"),
        one("--method ssnmf -k 2 --label-targets targets{}.csv"),
        one("--method cnmf --labels labels{}.csv"),
        one("--method guided --labels labels{}.csv"),
    ]
    .concat();
    for (number, case) in cases.iter().enumerate() {
        let of = |order: usize| {
            result(at, &case.replace("{}", &order.to_string()), &format!("out-{number}-{order}"))
        };
        assert!(of(0) == of(1), "{case}");
    }
}

#[test]
fn names_of_samples_and_their_numbers_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    for (name, by_number, by_name) in [
        ("links", "0,4,must\n1,6,cannot\n", "d0,d4,must\nd1,d6,cannot\n"),
        ("edges", "source,target\n0,2\n3,5\n", "source,target\nd0,d2\nd3,d5\n"),
        ("labels", "index,label\n0,sport\n1,law\n", "index,label\nd1,law\nd0,sport\n"),
    ] {
        write(at, &format!("{name}0.csv"), by_number);
        write(at, &format!("{name}1.csv"), by_name);
    }
    let cases = ["-k 2 --links links{}.csv", "-k 2 --graph edges{}.csv", "--labels labels{}.csv"];
    for (number, case) in cases.into_iter().enumerate() {
        let of = |order: usize| {
            let arguments = format!("--method guided {}", case.replace("{}", &order.to_string()));
            result(at, &arguments, &format!("out-{number}-{order}"))
        };
        assert!(of(0) == of(1), "{case}");
    }
}

#[test]
fn a_model_meets_data_in_another_order_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    succeed(at, "fit docs.csv -k 2 --quiet --out model");
    succeed(at, "transform model docs.csv --quiet --out plain");
    succeed(at, "transform model other.csv --quiet --out moved");
    let codes = |name: &str| std::fs::read(at.join(name).join("codes.npy")).unwrap();
    assert_eq!(codes("plain"), codes("moved"));
    let notes = json(at.join("moved/run.json"))["notes"].to_string();
    assert!(notes.contains("order of the model, by name"), "{notes}");
    // The start of the same data in another order is the end of the first fit.
    succeed(at, "fit other.csv -k 2 --start model/model.safetensors --max-iter 0 --quiet --out again");
    let error =
        |name: &str| json(at.join(name).join("run.json"))["result"]["relative_error"].as_f64().unwrap();
    assert!((error("again") - error("model")).abs() < 1e-9, "{} {}", error("again"), error("model"));
    // Components go to the topics and classes that they are named for.
    write(at, "labels.csv", "name,label\nd0,sport\nd2,sport\nd1,law\nd3,law\n");
    write(at, "topics.csv", "sport,ball\nlaw,court\n");
    succeed(at, "fit docs.csv --method ws-nmf --labels labels.csv --quiet --out classes");
    let start = "--start classes/model.safetensors --max-iter 0 --quiet";
    succeed(at, &format!("fit docs.csv --method guided --topics topics.csv {start} --out topics"));
    let rows = |name: &str| {
        let bytes = std::fs::read(at.join(name).join("components.npy")).unwrap();
        let values = bytes[bytes.len() - 80..].to_vec();
        (values[..40].to_vec(), values[40..].to_vec())
    };
    let ((law, sport), (first, second)) = (rows("classes"), rows("topics"));
    assert!(first == sport && second == law, "topics begin with sport, the classes with law");
    write(at, "half.csv", "tennis,team\nlaw,court\n");
    let said = stderr(&run(at, &format!("fit docs.csv --method guided --topics half.csv {start} --out x")));
    assert!(said.contains("\"law\", which is component 1 here"), "{said}");
    write(at, "misspelt.csv", "name,ball,gaol,court,judge,team\nd0,1,2,3,4,5\n");
    let said = stderr(&run(at, "transform model misspelt.csv --out x"));
    assert!(said.contains("no column is named \"goal\"") && said.contains("nearest: \"gaol\""), "{said}");
}

#[test]
fn what_cannot_be_matched_is_refused_with_the_nearest_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    documents(at);
    succeed(at, "fit docs.csv -k 2 --quiet --out model");
    write(at, "reference.csv", "name,ball,gaol,court,judge,team\nsport,1,1,0,0,1\n");
    write(at, "more.csv", "name,ball,goal,court,judge,team,umpire\nsport,1,1,0,0,1,2\n");
    write(at, "links.csv", "d0,d33,must\n");
    write(at, "labels.csv", "name,label\nd0,sport\ndd1,law\n");
    write(at, "edges.csv", "source,target\nd0,d33\n");
    write(at, "shares.csv", "name,law\nd0,1\nd33,0\n");
    write(at, "shares.toml", "memberships = \"shares.csv\"\n");
    write(at, "weights.csv", "name,weight\nd0,1\n");
    write(at, "weights.toml", "sample_weights = \"weights.csv\"\n");
    write(at, "entries.csv", "name,ball,gaol,court,judge,team\nd0,1,1,0,0,1\n");
    write(at, "names.txt", "goal\nball\ncourt\njudge\nteam\n");
    let swapped = std::fs::read_to_string(at.join("docs.csv")).unwrap().replacen("judge", "ball", 1);
    write(at, "twice.csv", &swapped);
    write(at, "seed.toml", "topics = { sport = [\"ball\"] }\n");
    for (arguments, parts) in [
        (
            "docs.csv --reference reference.csv",
            &["reference.csv", "no column is named \"goal\"", "nearest: \"gaol\""][..],
        ),
        ("docs.csv --reference more.csv", &["1 of its 6 names are not features", "\"umpire\""]),
        ("docs.csv -k 2 --links links.csv", &["line 1, column 2", "\"d33\"", "did you mean \"d3\"?"]),
        ("docs.csv --labels labels.csv", &["line 3", "\"dd1\"", "did you mean \"d1\"?"]),
        ("docs.csv -k 2 --graph edges.csv --method gnmf", &["\"d33\"", "did you mean \"d3\"?"]),
        ("docs.csv --guidance shares.toml", &["shares.csv", "\"d33\"", "nearest: \"d3\""]),
        ("docs.csv -k 2 --guidance weights.toml", &["weights.csv", "a row for each of the 12 samples"]),
        (
            "docs.csv -k 2 --method guided --entry-weights entries.csv",
            &["entries.csv", "no row is named \"d1\""],
        ),
        ("docs.csv -k 2 --feature-names names.txt", &["another order", "line 1 is \"goal\"", "\"ball\""]),
        ("twice.csv --guidance seed.toml -k 2", &["\"ball\"", "two features, 0 and 3"]),
        (
            "twice.csv --start model/model.safetensors",
            &[
                "the name \"ball\" occurs twice in the data's names",
                "0 \
            and 3",
            ],
        ),
    ] {
        let output = run(at, &format!("fit {arguments} --out x"));
        let said = stderr(&output);
        assert!(!output.status.success(), "{arguments}");
        for part in parts {
            assert!(said.contains(part), "{arguments}: \"{part}\" is not in: {said}");
        }
    }
}

#[test]
fn numbers_that_may_be_names_are_never_resolved_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows = |names: [&str; 4]| -> String {
        let line = |(i, name): (usize, &&str)| format!("{name},{},1,{}\n", 1 + i, 4 - i);
        names.iter().enumerate().map(line).collect()
    };
    write(at, "ids.csv", &format!("name,10,1,30\n{}", rows(["s5", "s1", "s0", "3"])));
    write(at, "links.csv", "3,0,must\n");
    write(at, "pair.toml", "links = { must = [[3, \"s1\"]] }\n");
    write(at, "number.toml", "links = { must = [[2, \"s1\"]] }\n");
    write(at, "seed.toml", "[[topics]]\nname = \"a\"\nseeds = [1]\n");
    write(at, "other.toml", "[[topics]]\nname = \"a\"\nseeds = [2]\n");
    write(at, "name.toml", "[[topics]]\nname = \"a\"\nseeds = [\"10\"]\n");
    write(at, "labels.csv", "index,label\n3,a\n0,b\n");
    for (arguments, parts) in [
        ("-k 2 --links links.csv", &["\"3\" is a sample name", "\"0\" is a position"][..]),
        ("--labels labels.csv", &["no sample of the data is named \"0\""]),
        ("-k 2 --guidance other.toml", &["are numbers", "2 is not one of them"]),
    ] {
        let output = run(at, &format!("fit ids.csv {arguments} --out x"));
        let said = stderr(&output);
        assert!(!output.status.success(), "{arguments}");
        for part in parts {
            assert!(said.contains(part), "{arguments}: \"{part}\" is not in: {said}");
        }
    }
    // A number and a name of the same thing, a number that is no name beside names of another kind, and a
    // name in quotes.
    for (number, arguments) in [
        "-k 2 --guidance pair.toml",
        "-k 2 --guidance number.toml",
        "-k 2 --guidance seed.toml",
        "-k 2 --guidance name.toml",
    ]
    .iter()
    .enumerate()
    {
        succeed(at, &format!("fit ids.csv {arguments} --quiet --out y{number}"));
    }
    // The same number as a name and as another place is refused.
    write(at, "shifted.csv", &format!("name,a,b,c\n{}", rows(["s5", "2", "s0", "s1"])));
    let said = stderr(&run(at, "fit shifted.csv -k 2 --guidance number.toml --out x"));
    for part in ["2 is the name of sample number 1", "sample number 2 is named \"s0\"", "in quotes"] {
        assert!(said.contains(part), "\"{part}\" is not in: {said}");
    }
}
