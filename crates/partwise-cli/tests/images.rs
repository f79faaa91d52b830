//! Promise: a folder of image files is data, with names and labels of the files, and comes back as pictures.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::{json, numbers, run, stderr, succeed};

/// A grey image of 3 × 4 pixels as PGM, with a bright column.
fn pgm(path: &Path, column: usize, noise: &[f64]) {
    let mut bytes = b"P5\n# made for a test\n4 3\n255\n".to_vec();
    bytes.extend((0..12).map(|p| if p % 4 == column { 200 } else { (20.0 * noise[p]) as u8 }));
    std::fs::write(path, bytes).unwrap();
}

/// Folders `left` and `right` of six images each, numbered from 1 to 12.
fn images(folder: &Path) {
    let noise = numbers(12 * 12, 4);
    for i in 0..12 {
        let class = folder.join("pictures").join(if i % 2 == 0 { "left" } else { "right" });
        std::fs::create_dir_all(&class).unwrap();
        pgm(&class.join(format!("{}.pgm", i + 1)), if i % 2 == 0 { 0 } else { 3 }, &noise[i * 12..]);
    }
}

#[test]
fn a_folder_of_images_is_fitted_with_the_names_and_folders_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    images(at);
    std::fs::write(at.join("pictures/readme.txt"), "about").unwrap();
    std::fs::write(at.join("known.csv"), "name,label\nleft/1,sinister\nright/2,dexter\n").unwrap();
    let output = run(at, "fit pictures --labels known.csv");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("12 images of 3 x 4 pixels"), "{}", stderr(&output));
    assert!(stderr(&output).contains("skipped: readme.txt"), "{}", stderr(&output));
    let out = at.join("pictures-partwise");
    let record = json(out.join("run.json"));
    assert_eq!(record["data"]["image_shape"], serde_json::json!([3, 4]));
    let memberships = std::fs::read_to_string(out.join("memberships.csv")).unwrap();
    let names: Vec<&str> = memberships.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(names[..6], ["left/1", "left/3", "left/5", "left/7", "left/9", "left/11"]);
    let clusters: Vec<&str> =
        memberships.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert!(clusters[..6].iter().all(|c| *c == "sinister") && clusters[6..].iter().all(|c| *c == "dexter"));
    // Subfolders as labels.
    succeed(at, "fit pictures --label-column folder --labels-per-class 1 --out byfolder");
    assert_eq!(json(at.join("byfolder/run.json"))["evaluation"]["unlabelled"]["accuracy"], 1.0);
    // One new image.
    succeed(at, "transform pictures-partwise pictures/right/4.pgm --out one");
    let codes = std::fs::read_to_string(at.join("one/memberships.csv")).unwrap();
    assert!(codes.lines().nth(1).unwrap().starts_with("0,4,dexter"), "{codes}");
    // The picture of the components is itself an image that can be read.
    succeed(at, &format!("fit {} -k 1 --max-iter 1 --out again", out.join("components.png").display()));
}

#[test]
fn images_that_do_not_fit_are_refused_with_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    images(at);
    let refused = |arguments: &str, parts: &[&str]| {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        parts.iter().for_each(|part| assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output)));
    };
    std::fs::write(at.join("pictures/right/7.pgm"), "P2\n2 2\n9\n1 2 3 4\n").unwrap();
    refused("fit pictures -k 2", &["7.pgm", "2 x 2 pixels", "left/1.pgm has 3 x 4"]);
    std::fs::write(at.join("pictures/right/7.pgm"), "P5\n4 3\n255\n1234").unwrap();
    refused("fit pictures -k 2", &["7.pgm", "need 12 values, but there are 4"]);
    std::fs::create_dir(at.join("none")).unwrap();
    std::fs::write(at.join("none/a.txt"), "text").unwrap();
    refused("fit none -k 2", &["not one of images", "--text", "a.txt"]);
    refused("fit pictures -k 2 --label-column class", &["\"folder\""]);
}
