//! Promise: images of every supported kind are read as the numbers of the file, and others refused in words.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use partwise_io::{DECODED_LIMIT, ReadOptions, Source, Table, Values, read_source, read_table};

fn read(name: &str, bytes: &[u8]) -> Result<Table, partwise_io::IoError> {
    read_source(&Source::from_bytes(Path::new(name), bytes.to_vec(), DECODED_LIMIT)?, &ReadOptions::default())
}

fn numbers(table: &Table) -> Vec<f64> {
    let Values::Dense { values, .. } = &table.values else { panic!("an image is dense") };
    (0..values.len()).map(|i| values.get(i)).collect()
}

fn png(width: u32, height: u32, colour: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

#[test]
fn pixels_are_the_numbers_of_the_file() {
    use png::{BitDepth, ColorType};
    let grey = png(3, 1, ColorType::Grayscale, BitDepth::Eight, &[0, 7, 255]);
    let deep = png(2, 1, ColorType::Grayscale, BitDepth::Sixteen, &[1, 0, 255, 255]);
    let bits = png(2, 1, ColorType::Grayscale, BitDepth::One, &[0b1000_0000]);
    let rgb = png(2, 1, ColorType::Rgb, BitDepth::Eight, &[9, 9, 9, 255, 0, 0]);
    let clear = png(1, 1, ColorType::GrayscaleAlpha, BitDepth::Eight, &[50, 10]);
    for (name, bytes, shape, expected, note) in [
        ("a.png", grey, (1, 3), vec![0.0, 7.0, 255.0], ""),
        ("a.png", deep, (1, 2), vec![256.0, 65_535.0], ""),
        ("a.png", bits, (1, 2), vec![255.0, 0.0], ""),
        ("a.png", rgb, (1, 2), vec![9.0, 0.299 * 255.0], "1 image in colour became grey"),
        ("a.png", clear, (1, 1), vec![50.0], "the transparency of 1 image was ignored"),
        (
            "a.pgm",
            b"P2 # grey\n2 2\n# up to\n15\n1 2\n3 15\n".to_vec(),
            (2, 2),
            vec![1.0, 2.0, 3.0, 15.0],
            "",
        ),
        ("a.pgm", b"P5 2 1 255\n\x03\xff".to_vec(), (1, 2), vec![3.0, 255.0], ""),
        ("a.pgm", b"P5 1 2 1000\n\x01\x00\x00\x02".to_vec(), (2, 1), vec![256.0, 2.0], ""),
        ("a.ppm", b"P3 1 1 255 0 255 0".to_vec(), (1, 1), vec![0.587 * 255.0], "in colour"),
        ("a.ppm", b"P6 1 1 255\n\x05\x05\x05".to_vec(), (1, 1), vec![5.0], ""),
    ] {
        let table = read(name, &bytes).unwrap();
        assert_eq!((table.image_shape, numbers(&table)), (Some(shape), expected), "{name}");
        assert!(table.notes.concat().contains(note), "{:?}", table.notes);
        assert_eq!(table.notes.len(), 1 + usize::from(!note.is_empty()), "{:?}", table.notes);
        assert_eq!(table.row_names, Some(vec!["a".to_string()]));
    }
}

#[test]
fn images_of_a_folder_are_in_natural_order_and_in_one_range() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("b/10.pgm", b"P2 1 1 50 50");
    write("b/9.pgm", b"P2 1 1 100 20");
    write("a/1.PGM", b"P2 1 1 100 1");
    write(".hidden.pgm", b"no image");
    let options = ReadOptions { label_column: Some("folder".into()), ..ReadOptions::default() };
    let table = read_table(folder.path(), &options).unwrap();
    assert_eq!(table.row_names.as_ref().unwrap(), &["a/1", "b/9", "b/10"]);
    assert_eq!(numbers(&table), [1.0, 20.0, 100.0]);
    assert!(table.notes.concat().contains("scaled to 0 to 100"), "{:?}", table.notes);
    let labels: Vec<_> = table.labels.unwrap().into_iter().flatten().collect();
    assert_eq!(labels, ["a", "b", "b"]);
    // As `sha256sum a/1.PGM b/9.pgm b/10.pgm | sha256sum` prints it.
    assert_eq!(table.sha256.len(), 64);
}

#[test]
fn damaged_and_unsupported_images_are_refused_in_words() {
    let whole = png(2, 2, png::ColorType::Grayscale, png::BitDepth::Eight, &[1, 2, 3, 4]);
    for (name, bytes, says) in [
        ("a.png", whole[..whole.len() - 20].to_vec(), "cannot be decoded"),
        ("a.pgm", b"P5 9000000 9000000 255\n\0".to_vec(), "far more than"),
        ("a.pgm", b"P5 0 3 255\n".to_vec(), "at least one is needed"),
        ("a.pgm", b"P2 2 1 9 1".to_vec(), "need 2 values, but there are 1"),
        ("a.pgm", b"P2 1 1 9 10".to_vec(), "above the largest value"),
        ("a.pgm", b"P2 x 1 9 1".to_vec(), "is not"),
        ("a.pgm", b"P4 1 1\n\0".to_vec(), "bitmap is not supported"),
    ] {
        let error = read(name, &bytes).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
