//! Promise: every format is read right, in whatever form it comes.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use partwise::Matrix;
use partwise_io::{DenseValues, FileKind, ReadOptions, Table, Values, write_npy};
use proptest::prelude::*;

fn rows(table: &Table) -> Vec<Vec<f64>> {
    dense(&table.values)
}

#[test]
fn npy_of_all_number_types_and_byte_orders_is_read() {
    let expected = vec![vec![1.0, 2.0], vec![3.0, 250.0]];
    macro_rules! check {
        ($($letter:literal $t:ty),*) => {$(
            let values: [$t; 4] = [1 as $t, 2 as $t, 3 as $t, 250u8 as $t];
            let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
            for (order, data) in [("<", little), (">", big)] {
                let table = read("a.npy", &npy(&format!("'{order}{}'", $letter), false, "(2, 2)", &data)).unwrap();
                assert_eq!(rows(&table), expected, "{order}{}", $letter);
                assert_eq!(is_f32(&table.values), $letter == "f4");
                assert_eq!(table.notes.iter().any(|note| note.contains("converted")), !$letter.starts_with('f'));
            }
        )*};
    }
    check!("u2" u16, "i2" i16, "u4" u32, "i4" i32, "u8" u64, "i8" i64, "f4" f32, "f8" f64);
    let table = read("a.npy", &npy("'|u1'", false, "(2, 2)", &[1, 2, 3, 250])).unwrap();
    assert_eq!(rows(&table), expected);
    let table = read("a.npy", &npy("'|i1'", false, "(1, 2)", &[1, 0xff])).unwrap();
    assert_eq!(rows(&table), [[1.0, -1.0]]);
    let table = read("a.npy", &npy("'|b1'", false, "(1, 2)", &[1, 0])).unwrap();
    assert_eq!((rows(&table), table.kind), (vec![vec![1.0, 0.0]], FileKind::Npy));
    assert_says(&table.notes.concat(), &["booleans were converted to the numbers 0 and 1"]);
}

#[test]
fn fortran_order_is_turned_round() {
    let rows_of =
        |shape: &str, bytes: &[u8]| rows(&read("a.npy", &npy("'|u1'", true, shape, bytes)).unwrap());
    assert_eq!(rows_of("(2, 3)", &[1, 4, 2, 5, 3, 6]), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    // Entry (i, r, c) of a stack is 100 i + 10 r + c; in Fortran order the first index runs fastest.
    let (n, height, width) = (70, 2, 3);
    let mut bytes = Vec::new();
    for c in 0..width {
        for r in 0..height {
            bytes.extend((0..n).map(|i| (i + 60 * r + 30 * c) as u8));
        }
    }
    let table = read("a.npy", &npy("'|u1'", true, "(70, 2, 3)", &bytes)).unwrap();
    assert_eq!(table.image_shape, Some((2, 3)));
    for (i, row) in rows(&table).iter().enumerate() {
        let expected: Vec<f64> = [0, 30, 60, 60, 90, 120].iter().map(|at| (i + at) as f64).collect();
        assert_eq!(row, &expected);
    }
}

#[test]
fn images_become_rows_and_keep_their_shape() {
    let table =
        read("a.npy", &npy("'|u1'", false, "(2, 2, 3)", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).unwrap();
    assert_eq!(table.values.shape(), (2, 6));
    assert_eq!(table.image_shape, Some((2, 3)));
    assert_eq!(rows(&table)[1], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_says(&table.notes.concat(), &["2 images of 2 x 3"]);
}

#[test]
fn integers_beyond_2_to_the_53_are_reported() {
    let values = [(1u64 << 60) + 1, 5];
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let table = read("a.npy", &npy("'<u8'", false, "(1, 2)", &data)).unwrap();
    assert_says(&table.notes.concat(), &["1 integers beyond 2^53 were rounded"]);
}

proptest! {
    #[test]
    fn a_matrix_written_as_npy_reads_back_bit_for_bit(
        (rows, columns) in (1usize..20, 1usize..20), seed in any::<u64>(), single in any::<bool>()
    ) {
        let bits = |i: usize, j: usize| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left((7 * i + j) as u32);
        let value = |i, j| (bits(i, j) % 1_000_003) as f64 / 7.0;
        let mut bytes = Vec::new();
        let back = if single {
            let matrix = Matrix::<f32>::from_fn(rows, columns, |i, j| value(i, j) as f32);
            write_npy(&mut bytes, &matrix).unwrap();
            DenseValues::F32(matrix.into_vec())
        } else {
            let matrix = Matrix::<f64>::from_fn(rows, columns, value);
            write_npy(&mut bytes, &matrix).unwrap();
            DenseValues::F64(matrix.into_vec())
        };
        prop_assert_eq!((bytes.len() - rows * columns * if single { 4 } else { 8 }) % 64, 0);
        let table = read("a.npy", &bytes).unwrap();
        prop_assert_eq!(table.values, Values::Dense { rows, columns, values: back });
        prop_assert!(table.notes.is_empty());
    }

    #[test]
    fn sparse_matrices_read_the_same_from_coordinates_in_any_order(
        entries in prop::collection::vec((0usize..7, 0usize..5, 1u32..100), 0..40)
    ) {
        let mut expected = vec![vec![0.0; 5]; 7];
        let mut text = format!("%%MatrixMarket matrix coordinate integer general\n% c\n\n7 5 {}\n", entries.len());
        let mut seen = std::collections::HashSet::new();
        for (i, j, value) in &entries {
            expected[*i][*j] += f64::from(*value);
            seen.insert((i, j));
            text += &format!("{} {} {value}\n", i + 1, j + 1);
        }
        let table = read("a.mtx", text.as_bytes()).unwrap();
        prop_assert_eq!(dense(&table.values), expected.clone());
        let noted = table.notes.iter().any(|note| note.contains("summed"));
        prop_assert_eq!(noted, seen.len() < entries.len());
        let side = |index: usize| -> Vec<i32> {
            entries.iter().map(|e| if index == 0 { e.0 as i32 } else { e.1 as i32 }).collect()
        };
        let shape = format!("({},)", entries.len());
        let npz = zip_of(&[
            ("format.npy", npy("'<U3'", false, "()", b"c\0\0\0o\0\0\0o\0\0\0")),
            ("shape.npy", npy_i4("(2,)", &[7, 5])),
            ("row.npy", npy_i4(&shape, &side(0))),
            ("col.npy", npy_i4(&shape, &side(1))),
            ("data.npy", npy_f8(&shape, &entries.iter().map(|e| f64::from(e.2)).collect::<Vec<_>>())),
        ]);
        prop_assert_eq!(dense(&read("a.npz", &npz).unwrap().values), expected);
    }
}

#[test]
fn npz_gives_the_only_array_or_the_chosen_one() {
    let one = npy_f8("(1, 2)", &[1.0, 2.0]);
    let two = npy_f8("(1, 1)", &[3.0]);
    assert_eq!(rows(&read("a.npz", &zip_of(&[("x.npy", one.clone())])).unwrap()), [[1.0, 2.0]]);
    let both = zip_of(&[("x.npy", one), ("y.npy", two)]);
    let chosen = ReadOptions { key: Some("y".into()), ..Default::default() };
    assert_eq!(rows(&read_with("a.npz", &both, &chosen).unwrap()), [[3.0]]);
}

#[test]
fn scipy_matrices_of_three_formats_are_read() {
    for format in ["csr", "csc", "coo"] {
        let table = read("a.npz", &scipy_npz(format)).unwrap();
        assert_eq!(rows(&table), SCIPY_MATRIX, "{format}");
        assert!(matches!(table.values, Values::Sparse { .. }));
    }
}

#[test]
fn matrix_market_forms_are_read() {
    let read = |text: &str| {
        let table = read("a.mtx", text.as_bytes()).unwrap();
        (rows(&table), matches!(table.values, Values::Sparse { .. }), table.notes.join(" "))
    };
    let (values, sparse, _) = read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n");
    assert_eq!((values, sparse), (vec![vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]], true));
    let (values, _, notes) =
        read("%%MatrixMarket MATRIX Coordinate Real Symmetric\r\n2 2 2\r\n1 1 1.5e1\r\n2 1 -2\r\n");
    assert_eq!(values, [[15.0, -2.0], [-2.0, 0.0]]);
    assert_says(&notes, &["symmetric"]);
    let (values, sparse, _) = read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6");
    assert_eq!((values, sparse), (vec![vec![1.0, 3.0, 5.0], vec![2.0, 4.0, 6.0]], false));
    let (values, ..) = read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n");
    assert_eq!(values, [[1.0, 2.0], [2.0, 3.0]]);
    let (values, _, notes) =
        read("%%MatrixMarket matrix coordinate integer general\n1 2 3\n1 2 1\n1 2 4\n1 1 1\n");
    assert_eq!(values, [[1.0, 5.0]]);
    assert_says(&notes, &["1 duplicate entry was summed"]);
}

#[test]
fn gzip_is_told_by_its_bytes_and_members_are_joined() {
    let text = b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
    let plain = read("a.mtx", text).unwrap();
    for name in ["a.mtx.gz", "a.mtx"] {
        let mut table = read(name, &gzip(text)).unwrap();
        assert_ne!(table.sha256, plain.sha256, "the hash is of the bytes as stored");
        table.sha256.clone_from(&plain.sha256);
        assert_eq!(table, plain);
    }
    let mut joined = gzip(&text[..30]);
    joined.extend(gzip(&text[30..]));
    assert_eq!(rows(&read("a.mtx.gz", &joined).unwrap()), rows(&plain));
    assert_eq!(rows(&read("a.npy.gz", &gzip(&npy_f8("(1, 1)", &[2.0]))).unwrap()), [[2.0]]);
    assert_eq!(plain.sha256, partwise_io::sha256_hex(text));
}

/// Values, row names and column names of a text table.
type Parts = (Vec<Vec<f64>>, Option<Vec<String>>, Option<Vec<String>>);

fn csv(text: &str) -> Parts {
    let table = read("a.csv", text.as_bytes()).unwrap();
    (rows(&table), table.row_names, table.column_names)
}

fn names(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(ToString::to_string).collect())
}

#[test]
fn text_tables_are_understood_with_and_without_names() {
    let values = vec![vec![1.0, 2.5], vec![3.0, 4.0]];
    assert_eq!(csv("1,2.5\n3,4\n"), (values.clone(), None, None));
    assert_eq!(csv("\u{feff}p,q\r\n1,2.5\r\n\r\n3,4"), (values.clone(), None, names(&["p", "q"])));
    assert_eq!(csv("a\t1\t2.5\nb\t3\t4\n"), (values.clone(), names(&["a", "b"]), None));
    let full = (values.clone(), names(&["a", "b"]), names(&["p", "q"]));
    assert_eq!(csv("x;p;q\na;1;2.5\nb; 3 ;4\n"), full);
    assert_eq!(csv(",p,q\na,1,2.5\nb,3,4\n"), full);
}

#[test]
fn tables_of_common_writers_are_understood() {
    let values = vec![vec![1.0, 2.5], vec![3.0, 4.0]];
    // R: the header has no corner.
    let full = (values.clone(), names(&["a", "b"]), names(&["p", "q"]));
    assert_eq!(csv("\"p\"\t\"q\"\n\"a\"\t1\t2.5\n\"b\"\t3\t4\n"), full);
    // pandas: the index is numeric and its header is empty.
    assert_eq!(csv(",p,q\n0,1,2.5\n1,3,4\n"), (values.clone(), names(&["0", "1"]), names(&["p", "q"])));
    // NumPy's savetxt: spaces.
    assert_eq!(csv("1.0e0  2.5\n3 4 \n"), (values.clone(), None, None));
    // Column names that are numbers (wavelengths): the corner tells the header.
    assert_eq!(
        csv("sample,400,410\na,1,2.5\nb,3,4\n"),
        (values.clone(), names(&["a", "b"]), names(&["400", "410"]))
    );
    assert_eq!(csv("time,400,410\n7,1,2.5\n8,3,4\n").2, names(&["time", "400", "410"]));
    // One column, with and without a header; one row.
    assert_eq!(csv("v\n1\n2\n"), (vec![vec![1.0], vec![2.0]], None, names(&["v"])));
    assert_eq!(csv("1\n2\n"), (vec![vec![1.0], vec![2.0]], None, None));
    assert_eq!(csv("1,2,3"), (vec![vec![1.0, 2.0, 3.0]], None, None));
    // Names that need quotes, and lines within them.
    assert_eq!(csv("n,\"p, \"\"x\"\"\",\"q\nz\"\na,1,2.5\nb,3,4\n").2, names(&["p, \"x\"", "q\nz"]));
}

#[test]
fn what_detection_gets_wrong_can_be_said() {
    let said = ReadOptions { header: Some(true), row_names: Some(true), ..Default::default() };
    let table = read_with("a.csv", b"1,2\n3,4\n", &said).unwrap();
    assert_eq!(
        (rows(&table), table.row_names, table.column_names),
        (vec![vec![4.0]], names(&["3"]), names(&["2"]))
    );
}

#[test]
fn missing_cells_are_nan_and_noted() {
    let table = read("a.csv", b"p,q\n1,\nNA,nan\n4,5\n").unwrap();
    assert!(rows(&table)[0][1].is_nan() && rows(&table)[1][0].is_nan() && rows(&table)[1][1].is_nan());
    assert_says(&table.notes.concat(), &["3 missing cells were read as NaN", "line 2, column 2 (\"q\")"]);
}

#[test]
fn mostly_textual_first_columns_are_names_and_noted() {
    let table = read("a.csv", b"n,p\n1,1\nx2,2\nx3,3\n").unwrap();
    assert_eq!(table.row_names, names(&["1", "x2", "x3"]));
    assert_says(&table.notes.concat(), &["2 of its cells are text, 1 are numbers"]);
}

#[test]
fn a_label_column_is_taken_out_by_name_or_position() {
    let labels = |text: &str, column: &str| {
        let options = ReadOptions { label_column: Some(column.into()), ..Default::default() };
        let table = read_with("a.csv", text.as_bytes(), &options).unwrap();
        (rows(&table), table.row_names, table.column_names, table.labels.unwrap())
    };
    let texts = |texts: &[&str]| -> Vec<Option<String>> {
        texts.iter().map(|text| Some(text.to_string()).filter(|text| !text.is_empty())).collect()
    };
    let values = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
    let (found, row_names, columns, taken) = labels("id,p,kind,q\ns1,1,u,2\ns2,3,,4\n", "kind");
    assert_eq!((found, row_names, columns), (values.clone(), names(&["s1", "s2"]), names(&["p", "q"])));
    assert_eq!(taken, texts(&["u", ""]));
    let (found, row_names, columns, taken) = labels("1,2,setosa\n3,4,virginica\n", "2");
    assert_eq!((found, row_names, columns), (values.clone(), None, None));
    assert_eq!(taken, texts(&["setosa", "virginica"]));
    let (found, row_names, _, taken) = labels("kind,id,p,q\nu,s1,1,2\nv,s2,3,4\n", "kind");
    assert_eq!((found, row_names, taken), (values, names(&["s1", "s2"]), texts(&["u", "v"])));
}

#[test]
fn edge_lists_become_symmetric_matrices() {
    let table = read("edges.csv", b"source,target,weight\n0,1,2\n1,0,2\n2,2,5\n0,2,1\n0,2,1\n2,1,3\n1,2,4\n")
        .unwrap();
    assert_eq!(rows(&table), [[0.0, 2.0, 2.0], [2.0, 0.0, 4.0], [2.0, 4.0, 5.0]]);
    assert_eq!(table.kind, FileKind::Edges);
    let notes = table.notes.join("; ");
    assert_says(
        &notes,
        &[
            "1 repeated edge was summed",
            "2 edges are listed in both directions and counted once, 1 with the larger of two weights",
            "1 self-loop was kept",
        ],
    );
    let table = read("a.csv", b"source,target\n0,3\n").unwrap();
    assert_eq!(table.values.shape(), (4, 4));
    assert_eq!(rows(&table)[3], [1.0, 0.0, 0.0, 0.0]);
    let options = ReadOptions { n_nodes: Some(6), ..Default::default() };
    assert_eq!(read_with("a.csv", b"source,target\n0,3\n", &options).unwrap().values.shape(), (6, 6));
    let as_table = ReadOptions { format: Some("csv".into()), ..Default::default() };
    assert_eq!(rows(&read_with("a.csv", b"source,target\n0,3\n", &as_table).unwrap()), [[0.0, 3.0]]);
}

#[test]
fn a_format_can_be_named() {
    let options = ReadOptions { format: Some("npy".into()), ..Default::default() };
    assert_eq!(rows(&read_with("data.bin", &npy_f8("(1, 1)", &[7.0]), &options).unwrap()), [[7.0]]);
}
