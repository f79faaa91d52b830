//! Finished units as lines of CSV, so that a run that was interrupted goes on where it stopped.
//!
//! ```text
//! case,x,group,draw,method,solver,detail,score,value      one line a score
//! case,x,group,draw,,,,seconds,1.25                       the last line of a unit: how long it took
//! ```
//!
//! A unit counts only with its last line: one that was being written when the program was killed is left out,
//! and run again.

use anyhow::{Context, Result, bail};

use crate::protocols::{Case, Protocol, Row, UnitId};

/// The first line.
pub const HEADER: &str = "case,x,group,draw,method,solver,detail,score,value\n";

/// A unit that was finished.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Which.
    pub id: UnitId,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Wall time.
    pub seconds: f64,
}

/// What a file says.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Records {
    /// Whole units, in the order of the file.
    pub finished: Vec<Record>,
    /// Lines at the end that belong to no whole unit.
    pub torn: usize,
}

/// The lines of a unit, its last one included.
pub fn lines(record: &Record) -> Result<String> {
    let UnitId { case, group, draw } = &record.id;
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let place = |case: &Case| case.x.map_or(String::new(), |x| x.to_string());
    let draw = draw.to_string();
    for row in &record.rows {
        let x = place(&row.case);
        for (score, value) in &row.scores {
            let value = value.to_string();
            let fields =
                [&row.case.name, &x, *group, &draw, &row.method, &row.solver, &row.detail, score, &value];
            writer.write_record(fields)?;
        }
    }
    let seconds = format!("{:.3}", record.seconds);
    writer.write_record([&case.name, &place(case), *group, &draw, "", "", "", "seconds", &seconds])?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The units of a file's text.
///
/// # Errors
/// A first line that is not [`HEADER`], or lines in the middle that are none of this protocol, with their
/// numbers.
pub fn parse(text: &str, protocol: &Protocol) -> Result<Records> {
    let Some(body) = text.strip_prefix(HEADER) else {
        // A kill may have torn the very first line.
        if HEADER.starts_with(text) {
            return Ok(Records::default());
        }
        bail!("line 1 is not \"{}\"", HEADER.trim_end());
    };
    let mut records = Records::default();
    let mut open: Vec<Row> = Vec::new();
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    for (at, line) in lines.iter().enumerate() {
        records.torn += 1;
        if !line.ends_with('\n') {
            break;
        }
        match fields(line, protocol).with_context(|| format!("line {}", at + 2))? {
            Entry::Score(row) => add(&mut open, row),
            Entry::End(id, seconds) => {
                records.finished.push(Record { id, rows: std::mem::take(&mut open), seconds });
                records.torn = 0;
            }
        }
    }
    Ok(records)
}

enum Entry {
    /// A row with one score.
    Score(Row),
    End(UnitId, f64),
}

fn fields(line: &str, protocol: &Protocol) -> Result<Entry> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next().context("the line is empty")??;
    let fields: Vec<&str> = record.iter().collect();
    let [name, x, group, draw, method, solver, detail, score, value] = fields[..] else {
        bail!("{} fields; 9 are needed", fields.len())
    };
    let x = if x.is_empty() { None } else { Some(x.parse().with_context(|| format!("x is \"{x}\""))?) };
    let case = Case { name: name.to_string(), x };
    let draw = draw.parse().with_context(|| format!("the draw is \"{draw}\""))?;
    let value: f64 = value.parse().with_context(|| format!("the value is \"{value}\""))?;
    if method.is_empty() {
        let Some(group) = protocol.groups.iter().find(|known| known.name == group) else {
            bail!("{} has no methods \"{group}\"", protocol.name)
        };
        return Ok(Entry::End(UnitId { case, group: group.name, draw }, value));
    }
    let scores = vec![(score.to_string(), value)];
    let [method, solver, detail] = [method, solver, detail].map(str::to_string);
    Ok(Entry::Score(Row { case, method, draw, solver, detail, scores }))
}

/// Scores of one row stand in successive lines.
fn add(rows: &mut Vec<Row>, row: Row) {
    match rows.last_mut() {
        Some(last)
            if (&last.case, &last.method, &last.detail) == (&row.case, &row.method, &row.detail)
                && last.score(&row.scores[0].0).is_none() =>
        {
            last.scores.extend(row.scores);
        }
        _ => rows.push(row),
    }
}

/// Records in the order of `units`, each once; those of no unit are left out.
pub fn in_order(finished: &[Record], units: &[UnitId]) -> Vec<Record> {
    units.iter().filter_map(|id| finished.iter().find(|record| record.id == *id).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::Group;

    const GROUPS: &[Group] = &[Group { name: "all", title: "" }];
    const PROTOCOL: Protocol = Protocol { groups: GROUPS, ..Protocol::PLAIN };

    fn record(draw: u64) -> Record {
        let id = UnitId { case: Case::at("faces, \"small\"", 2.0), group: "all", draw };
        let row = |method: &str| Row {
            case: id.case.clone(),
            method: method.into(),
            draw,
            solver: "mu, 200 iterations".into(),
            detail: String::new(),
            scores: vec![("AC".into(), 0.1 + 0.2), ("NMI".into(), f64::NAN)],
        };
        Record { rows: vec![row("a, km"), row("b")], id, seconds: 0.25 }
    }

    #[test]
    fn units_read_back_as_they_were_to_the_last_bit() {
        let text = HEADER.to_string() + &lines(&record(0)).unwrap() + &lines(&record(1)).unwrap();
        let found = parse(&text, &PROTOCOL).unwrap();
        assert_eq!((found.finished.len(), found.torn), (2, 0));
        assert_eq!(found.finished[1].rows[0].scores[0], record(1).rows[0].scores[0]);
        assert!(found.finished[1].rows[1].scores[1].1.is_nan());
        assert_eq!((&found.finished[0].id, found.finished[0].seconds), (&record(0).id, 0.25));
    }

    #[test]
    fn a_file_cut_anywhere_keeps_its_whole_units() {
        let first = HEADER.to_string() + &lines(&record(0)).unwrap();
        let text = first.clone() + &lines(&record(1)).unwrap();
        for cut in 0..text.len() {
            let found = parse(&text[..cut], &PROTOCOL).unwrap();
            assert_eq!(found.finished.len(), usize::from(cut >= first.len()), "{cut}");
            let torn = cut > HEADER.len() && cut != first.len();
            assert_eq!(found.torn > 0, torn, "{cut}");
        }
    }

    #[test]
    fn what_is_not_such_a_file_is_refused_with_the_line() {
        assert!(parse("a,b\n1,2\n", &PROTOCOL).unwrap_err().to_string().contains("line 1"));
        let text = HEADER.to_string() + "faces,2,all,0,a,,,AC,high\n";
        let message = format!("{:#}", parse(&text, &PROTOCOL).unwrap_err());
        assert!(message.contains("line 2") && message.contains("\"high\""), "{message}");
    }

    #[test]
    fn the_order_is_that_of_the_units_whatever_ended_first() {
        let ids: Vec<UnitId> = (0..3).map(|draw| record(draw).id).collect();
        let ended = [record(2), record(0)];
        let draws: Vec<u64> = in_order(&ended, &ids).iter().map(|record| record.id.draw).collect();
        assert_eq!(draws, [0, 2]);
    }
}
