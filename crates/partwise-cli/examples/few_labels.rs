//! Research harness.
use std::path::Path;
use std::time::Instant;
use partwise::recipes::{AutomaticSettings, automatic};
use partwise::{DataMatrix, DenseMatrix, Labels, Matrix, SparseMatrix, metrics};
use partwise_io::{ReadOptions, Values, read_labels, read_table};

struct Raw { d: usize, rows: Vec<Vec<(u32, f64)>>, classes: Vec<i32>, dense: bool }

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 { self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15); let mut z = self.0; z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9); z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB); z ^ (z >> 31) }
    fn below(&mut self, n: usize) -> usize { (self.next() % n as u64) as usize }
    fn choose(&mut self, mut items: Vec<usize>, m: usize) -> Vec<usize> {
        let m = m.min(items.len());
        for i in 0..m { let j = i + self.below(items.len() - i); items.swap(i, j); }
        items.truncate(m); items.sort_unstable(); items
    }
}

fn load(folder: &Path, name: &str) -> Raw {
    let dir = folder.join(name);
    let file = ["images.npy", "images.npz", "counts.mtx.gz", "values.mtx.gz", "matrix.csv.gz"].iter().map(|f| dir.join(f)).find(|p| p.exists()).expect("data");
    let table = read_table(&file, &ReadOptions::default()).unwrap();
    let dense = matches!(table.values, Values::Dense { .. });
    let (n, d) = table.values.shape();
    let m: Matrix<f64>;
    let mut rows = vec![Vec::new(); n];
    match table.values {
        Values::Dense { values, .. } => { m = Matrix::from_vec(n, d, values.into_real()).unwrap(); for i in 0..n { rows[i] = m.row(i).iter().enumerate().filter(|v| *v.1 != 0.0).map(|(j, v)| (j as u32, *v)).collect(); } }
        Values::Sparse { indptr, indices, values, .. } => { for i in 0..n { rows[i] = (indptr[i]..indptr[i + 1]).map(|at| (indices[at], values.get(at))).collect(); } }
    }
    let found = read_labels(&dir.join("labels.csv"), n).unwrap();
    let mut classes: Vec<i32> = found.sets.iter().map(|s| if s.len() == 1 { s[0] as i32 } else { -1 }).collect();
    if name == "reuters21578" {
        let mut count = vec![0; found.names.len()];
        classes.iter().filter(|c| **c >= 0).for_each(|c| count[*c as usize] += 1);
        let mut order: Vec<usize> = (0..count.len()).collect();
        order.sort_by_key(|c| std::cmp::Reverse(count[*c]));
        classes.iter_mut().for_each(|c| if *c >= 0 && !order[..10].contains(&(*c as usize)) { *c = -1 });
    }
    Raw { d, rows, classes, dense }
}

fn of_class(raw: &Raw, keep: &[usize], c: i32) -> Vec<usize> { keep.iter().copied().filter(|i| raw.classes[*i] == c).collect() }

/// rows, classes of one draw
fn draw(raw: &Raw, name: &str, r: u64) -> (Vec<Vec<(u32, f64)>>, Vec<i32>) {
    let mut rng = Rng(r.wrapping_mul(1_000_003) ^ name.bytes().fold(7u64, |h, b| h.wrapping_mul(31).wrapping_add(b as u64)));
    let keep: Vec<usize> = (0..raw.rows.len()).filter(|i| raw.classes[*i] >= 0 && !raw.rows[*i].is_empty()).collect();
    let mut names: Vec<i32> = keep.iter().map(|i| raw.classes[*i]).collect(); names.sort_unstable(); names.dedup();
    let some = |rng: &mut Rng, m: usize| -> Vec<i32> { let t = rng.choose((0..names.len()).collect(), m); t.iter().map(|i| names[*i]).collect() };
    let chosen: Vec<usize> = match name {
        "extended-yale-b" => { let cs = some(&mut rng, 15); keep.iter().copied().filter(|i| cs.contains(&raw.classes[*i])).collect() }
        "20newsgroups" => { let cs = some(&mut rng, 6); cs.iter().flat_map(|c| rng.choose(of_class(raw, &keep, *c), 100)).collect() }
        "mnist" => names.iter().flat_map(|c| rng.choose(of_class(raw, &keep, *c), 200)).collect(),
        "classic4" | "reuters21578" | "worm-neuron" | "tdt2" => rng.choose(keep.clone(), 2000),
        _ => keep.clone(),
    };
    let mut rows: Vec<Vec<(u32, f64)>> = chosen.iter().map(|i| raw.rows[*i].clone()).collect();
    let n = rows.len() as f64;
    match name {
        "20newsgroups" | "bbc" | "classic4" | "reuters21578" | "tdt2" | "webkb" | "basehock" | "pcmac" | "relathe" => {
            let mut df = vec![0.0f64; raw.d];
            rows.iter().flatten().for_each(|(j, _)| df[*j as usize] += 1.0);
            rows.iter_mut().for_each(|row| { row.retain(|(j, _)| df[*j as usize] >= 2.0); row.iter_mut().for_each(|(j, v)| *v *= ((1.0 + n) / (1.0 + df[*j as usize])).ln() + 1.0) });
        }
        "worm-neuron" => {
            let totals: Vec<f64> = rows.iter().map(|r| r.iter().map(|e| e.1).sum()).collect();
            let mut sorted = totals.clone(); sorted.sort_by(f64::total_cmp); let median = sorted[sorted.len() / 2];
            for (row, t) in rows.iter_mut().zip(&totals) { row.iter_mut().for_each(|e| e.1 = (1.0 + e.1 * median / t).ln()) }
        }
        "all-aml" | "medulloblastoma" => rows.iter_mut().flatten().for_each(|e| e.1 = (1.0 + e.1).ln()),
        _ => {}
    }
    for row in &mut rows { let l = row.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt(); row.iter_mut().for_each(|e| e.1 /= l); }
    // labels
    let classes: Vec<i32> = chosen.iter().map(|i| raw.classes[*i]).collect();
    (rows, classes)
}

fn given(classes: &[i32], r: u64) -> Vec<i32> { partwise_eval::draw_labels(classes, 2, 2026 + r) }

fn matrix<T: partwise::Real>(rows: &[Vec<(u32, f64)>], d: usize, dense: bool) -> Box<dyn DataMatrix<T>> {
    if dense {
        let mut v = vec![T::ZERO; rows.len() * d];
        for (i, row) in rows.iter().enumerate() { for (j, x) in row { v[i * d + *j as usize] = T::from_f64(*x); } }
        Box::new(DenseMatrix::new(rows.len(), d, v).unwrap())
    } else {
        let mut p = vec![0usize]; let mut ix = Vec::new(); let mut v: Vec<T> = Vec::new();
        for row in rows { for (j, x) in row { ix.push(*j); v.push(T::from_f64(*x)); } p.push(ix.len()); }
        Box::new(SparseMatrix::new(rows.len(), d, p, ix, v).unwrap())
    }
}

fn argmax(m: &Matrix<f64>) -> Vec<i32> { (0..m.rows()).map(|i| { let r = m.row(i); (0..r.len()).fold(0, |b, c| if r[c] > r[b] { c } else { b }) as i32 }).collect() }

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = std::env::var("PARTWISE_DATA").unwrap();
    let mode = args[1].as_str();
    let range: Vec<u64> = args[2].split('-').map(|s| s.parse().unwrap()).collect();
    for name in args[3].split(',') {
        let raw = load(Path::new(&folder), name);
        for r in range[0]..range[1] {
            let (rows, classes) = draw(&raw, name, r);
            let shown = given(&classes, r);
            let labels = Labels::from_integers(&shown).unwrap();
            let mut names: Vec<i32> = classes.clone(); names.sort_unstable(); names.dedup();
            let free: Vec<bool> = shown.iter().map(|l| *l < 0).collect();
            let say = |method: &str, found: &[i32], seconds: f64| {
                let t = metrics::restricted(&classes, &free).unwrap(); let f = metrics::restricted(found, &free).unwrap();
                println!("{name},{r},{method},{:.2},{:.2},{seconds:.2}", 100.0 * metrics::accuracy(&t, &f).unwrap().accuracy, 100.0 * metrics::nmi_max(&t, &f).unwrap());
            };
            if mode == "base" { base(&rows, &raw, &labels, &say); continue; }
            let x = matrix::<f32>(&rows, raw.d, raw.dense);
            let num = |k: &str, d: f64| std::env::var(k).ok().map_or(d, |v| v.parse().unwrap());
            let mut settings = AutomaticSettings { threads: 1, iterations: num("ITER", 30.0) as usize, graph_weight: num("GW", 0.01), ..AutomaticSettings::default() };
            if let Ok(parts) = std::env::var("PARTS") { settings.components_per_class = parts.split(',').map(|v| v.parse().unwrap()).collect(); }
            let t0 = Instant::now();
            let found = automatic(x.as_ref(), &labels, &settings).unwrap();
            let found_labels: Vec<i32> = found.labels.iter().map(|c| *c as i32).collect();
            say("recipe", &found_labels, t0.elapsed().as_secs_f64());
            let top: Vec<String> = found.candidates.iter().filter(|c| c.weight > 0.03).map(|c| format!("{:?}:{:.2}:{:.2}:{:.2}", c.graph, c.share, c.score.unwrap_or(-1.0), c.weight)).collect();
            let experts: Vec<String> = found.readings.iter().map(|r| format!("{:.2}:{:.2}", r.score.unwrap_or(-1.0), r.weight)).collect();
            eprintln!("{name},{r}: {} | {} | tried {}", top.join(" "), experts.join(" "), found.candidates.len());
        }
    }
}

fn base(rows: &[Vec<(u32, f64)>], raw: &Raw, labels: &Labels, say: &dyn Fn(&str, &[i32], f64)) {
    use partwise::{Init, Knowledge, Model, Settings, StrengthUnit, fit};
    use partwise_eval::methods::{self, k_means::KMeansSettings, label_spreading, seeded_k_means, ss_spectral, spectral, Links};
    let k = labels.n_classes();
    let x = matrix::<f64>(rows, raw.d, raw.dense); let x = x.as_ref();
    let xs = matrix::<f32>(rows, raw.d, raw.dense);
    let timed = |f: &dyn Fn() -> Vec<i32>| { let t = Instant::now(); let l = f(); (l, t.elapsed().as_secs_f64()) };
    let ints = |v: &[usize]| -> Vec<i32> { v.iter().map(|c| *c as i32).collect() };
    let mut put = |name: &str, f: &dyn Fn() -> Vec<i32>| { let (l, s) = timed(f); say(name, &l, s); };
    let nmf = |model: Model, init: Init| { let s = Settings { init, threads: 1, ..Settings::new(k) }; argmax(&fit(xs.as_ref(), &model, &s).unwrap().codes.cast()) };
    put("cnmf", &|| nmf(Model::cnmf(labels.clone()), Init::Auto));
    put("ws-nmf", &|| nmf(Model::ws_nmf(Knowledge { labels: Some(labels.clone()), ..Knowledge::default() }), Init::Auto));
    put("ws-nmf-raw", &|| nmf(Model::ws_nmf(Knowledge { labels: Some(labels.clone()), strength_unit: StrengthUnit::Raw, ..Knowledge::default() }), Init::Published));
    let graph = partwise::graphs::neighbour_graph(x, &partwise::graphs::NeighbourGraph { neighbours: 7.min(rows.len() - 1), ..Default::default() }).unwrap();
    put("lgc", &|| label_spreading::label_spreading(&graph, labels, 0.95).unwrap().classes.iter().map(|c| c.map_or(0, |c| c as i32)).collect());
    put("ss-spectral", &|| { let linked = ss_spectral::linked_graph(&graph, &Links::chained(labels, 0)).unwrap(); let e = spectral::spectral_embedding(&linked, k, 0).unwrap(); let p = DenseMatrix::from_matrix(e.points).unwrap(); ints(&seeded_k_means::constrained_k_means(&p, k, labels, &KMeansSettings::default()).unwrap().labels) });
    put("constrained-k-means", &|| ints(&seeded_k_means::constrained_k_means(x, k, labels, &KMeansSettings::default()).unwrap().labels));
    put("linear-svm", &|| (methods::named("linear-svm").unwrap().run)(&methods::Task { labels: Some(labels), ..methods::Task::new(x, k) }).unwrap().labels);
}
