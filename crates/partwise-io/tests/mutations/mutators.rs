//! Changes to a file: of bytes, of numbers and separators in text, and of what formats hold within themselves
//! (the header of an array, a member of an archive, the document of a model), with the lengths and check sums
//! made right again.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use std::io::{Cursor, Read, Write};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// Numbers in a fixed order for each seed (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is 1 or more.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

const NUMBERS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "2",
    "7",
    "255",
    "65536",
    "1000003",
    "4194305",
    "16777216",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1e400",
    "nan",
    "inf",
    "-0.0",
    "0.5",
    "1,5",
    "1_000",
];

const PIECES: [&str; 30] = [
    ",",
    ";",
    "\t",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\"",
    "\"\"",
    "\0",
    "\u{feff}",
    "\u{2212}1",
    "%",
    "NA",
    "-1",
    "None",
    "<NA>",
    "index",
    "label",
    "sample",
    "must",
    "topic",
    "source,target\n",
    "%%MatrixMarket matrix ",
    "[",
    "}",
    "'",
    ":",
    "é",
    "=",
];

pub(crate) struct Mutator<'r> {
    pub(crate) random: &'r mut Random,
}

impl Mutator<'_> {
    /// A changed copy of a file.
    pub(crate) fn mutate(&mut self, name: &str, bytes: &[u8]) -> Vec<u8> {
        let inner = match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            _ if self.random.below(4) == 0 => self.plain(bytes),
            "npy" => self.array(bytes),
            "npz" => self.archive(bytes),
            "safetensors" => self.model(bytes),
            "h5" | "h5ad" => self.in_place(bytes),
            _ => self.plain(bytes),
        };
        if !name.ends_with("safetensors") && self.random.below(10) == 0 { gzip(&inner) } else { inner }
    }

    /// One to four changes anywhere.
    fn plain(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for _ in 0..1 + self.random.below(4) {
            self.change(&mut out);
        }
        out
    }

    /// One to four bytes or numbers changed, and none moved: addresses stay right.
    fn in_place(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for _ in 0..1 + self.random.below(4) {
            let at = self.random.below(out.len());
            match self.random.below(3) {
                0 => out[at] ^= 1 << self.random.below(8),
                1 => out[at] = self.random.next() as u8,
                _ => self.wide_number(&mut out, at),
            }
        }
        out
    }

    /// A number of 2, 4 or 8 bytes at a place.
    fn wide_number(&mut self, bytes: &mut [u8], at: usize) {
        let wide = *self.random.pick(&[0u64, 1, 255, 65535, 1 << 31, u64::from(u32::MAX), 1 << 40, u64::MAX]);
        let length = (*self.random.pick(&[2usize, 4, 8])).min(bytes.len() - at);
        bytes[at..at + length].copy_from_slice(&wide.to_le_bytes()[..length]);
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.push(b'0');
        }
        let at = self.random.below(bytes.len());
        let span = (1 + self.random.below(12)).min(bytes.len() - at);
        match self.random.below(11) {
            0 => bytes[at] ^= 1 << self.random.below(8),
            1 => bytes[at] = self.random.next() as u8,
            2 => drop(bytes.drain(at..at + span)),
            3 => {
                let copy = bytes[at..at + span].to_vec();
                let to = self.random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            4 | 5 => self.number(bytes, at),
            6 => {
                let piece = self.random.pick(&PIECES).as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
            7 => {
                let piece = self.random.pick(&PIECES).as_bytes();
                bytes.splice(at..at + span, piece.iter().copied());
            }
            8 => self.wide_number(bytes, at),
            9 => {
                // A line again, or once less.
                let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
                let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |p| at + p + 1);
                let line = bytes[start..end].to_vec();
                match self.random.below(2) {
                    0 => bytes.splice(start..start, line),
                    _ => bytes.splice(start..end, Vec::new()),
                };
            }
            _ => {
                let (from, to) = (*self.random.pick(b",;\t \n\"."), *self.random.pick(b",;\t \n\r\"."));
                bytes.iter_mut().filter(|byte| **byte == from).for_each(|byte| *byte = to);
            }
        }
    }

    /// Another number in place of the first one after a place.
    fn number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let start = bytes[at..].iter().position(u8::is_ascii_digit).map_or(at, |p| at + p);
        let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let number = self.random.pick(&NUMBERS).as_bytes();
        bytes.splice(start..start + length, number.iter().copied());
    }

    /// The header of an array, or its data, changed.
    fn array(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(length) = bytes.get(8..10).map(|field| u16::from_le_bytes([field[0], field[1]]) as usize)
        else {
            return self.plain(bytes);
        };
        let end = (10 + length).min(bytes.len());
        let (mut header, mut data) = (bytes[10.min(end)..end].to_vec(), bytes[end..].to_vec());
        match self.random.below(3) {
            0 => data = self.plain(&data),
            1 => {
                let kinds: [&str; 12] =
                    ["<f8", ">f4", "|b1", "<i8", "|i1", "<u2", "<f2", "<U1", "|S3", "|O", "<c16", "<M8[ns]"];
                let text = String::from_utf8_lossy(&header).into_owned();
                let new = self.random.pick(&kinds);
                header = ["<f8", "<f4", "<i8", "|u1", ">i2", "|b1", "<U1"]
                    .iter()
                    .fold(text, |text, old| text.replace(old, new))
                    .into_bytes();
            }
            _ => header = self.plain(&header),
        }
        let mut out = bytes[..8].to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header);
        out.extend(data);
        out
    }

    /// One member of an archive changed, left out or named otherwise.
    fn archive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return self.plain(bytes) };
        let chosen = self.random.below(archive.len().max(1));
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for at in 0..archive.len() {
            let Ok(mut member) = archive.by_index(at) else { continue };
            let mut name = member.name().map(|name| name.to_string()).unwrap_or_default();
            let mut content = Vec::new();
            if member.read_to_end(&mut content).is_err() {
                continue;
            }
            if at == chosen {
                match self.random.below(8) {
                    0 => continue,
                    1 => name = "row.npy".into(),
                    _ => content = self.array(&content),
                }
            }
            let method = if self.random.below(2) == 0 {
                CompressionMethod::Stored
            } else {
                CompressionMethod::Deflated
            };
            // Two members may get one name, which the writer refuses.
            if writer.start_file(name, SimpleFileOptions::default().compression_method(method)).is_ok() {
                writer.write_all(&content).unwrap();
            }
        }
        writer.finish().unwrap().into_inner()
    }

    /// The header of a model, its document, or its matrices, changed.
    fn model(&mut self, bytes: &[u8]) -> Vec<u8> {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let (header, data) = bytes[8..].split_at(length);
        let mut header: Map<String, Value> = serde_json::from_slice(header).unwrap();
        let mut data = data.to_vec();
        match self.random.below(6) {
            0 => {
                let odd = *self.random.pick(&[f64::NAN, f64::INFINITY, -1.0, f64::MAX]);
                let at = self.random.below(data.len() / 8) * 8;
                data[at..at + 8].copy_from_slice(&odd.to_le_bytes());
            }
            1 => self.value(&mut Value::Object(std::mem::take(&mut header)), 0, &mut header),
            _ => {
                let text = header["__metadata__"]["partwise"].as_str().unwrap();
                let mut document: Map<String, Value> = serde_json::from_str(text).unwrap();
                for _ in 0..1 + self.random.below(2) {
                    self.value(&mut Value::Object(std::mem::take(&mut document)), 0, &mut document);
                }
                header["__metadata__"]["partwise"] = json!(Value::Object(document).to_string());
            }
        }
        let header = Value::Object(header).to_string().into_bytes();
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        out.extend(header);
        out.extend(data);
        out
    }

    /// Changes something within an object, which is put into `out`.
    fn value(&mut self, object: &mut Value, depth: usize, out: &mut Map<String, Value>) {
        self.change_value(object, depth);
        if let Value::Object(object) = object {
            *out = std::mem::take(object);
        }
    }

    fn change_value(&mut self, value: &mut Value, depth: usize) {
        let inside = depth == 0 || self.random.below(4) > 0;
        match value {
            Value::Object(map) if inside && !map.is_empty() => {
                let key = map.keys().nth(self.random.below(map.len())).unwrap().clone();
                if self.random.below(8) == 0 {
                    map.remove(&key);
                } else if let Some(inner) = map.get_mut(&key) {
                    self.change_value(inner, depth + 1);
                }
            }
            Value::Array(list) if inside && !list.is_empty() => {
                let at = self.random.below(list.len());
                match self.random.below(6) {
                    0 => drop(list.remove(at)),
                    1 => list.push(list[at].clone()),
                    _ => self.change_value(&mut list[at], depth + 1),
                }
            }
            value => {
                let others = [
                    Value::Null,
                    json!(true),
                    json!(-1),
                    json!(0),
                    json!(3),
                    json!(1e300),
                    json!(u64::MAX),
                    json!(1_000_000_000_000_u64),
                    json!("text"),
                    json!([]),
                    json!([1, "a", null]),
                    json!({}),
                    json!({ "raw": -1.0 }),
                ];
                *value = self.random.pick(&others).clone();
            }
        }
    }

    /// The beginning of a file.
    pub(crate) fn truncated(&mut self, bytes: &[u8]) -> Vec<u8> {
        bytes[..self.random.below(bytes.len() + 1)].to_vec()
    }

    /// The beginning of a file and the end of another.
    pub(crate) fn spliced(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let (end, start) = (self.random.below(bytes.len() + 1), self.random.below(other.len() + 1));
        [&bytes[..end], &other[start..]].concat()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
