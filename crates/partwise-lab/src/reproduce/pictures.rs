//! Grids of grey images as SVG.

use crate::protocols::Picture;

use partwise_report::html::escaped;
use partwise_report::picture;

const TILE: f64 = 64.0;
const GAP: f64 = 4.0;
const LEFT: f64 = 150.0;
const TOP: f64 = 30.0;

/// A row of images a line, with its name at the left.
pub(super) fn grid(grid: &Picture) -> String {
    let columns = grid.rows.iter().map(|(_, images)| images.len()).max().unwrap_or(0);
    let (height, width) = grid.shape;
    let tall = TILE * height as f64 / width as f64;
    let all = (LEFT + columns as f64 * (TILE + GAP), TOP + grid.rows.len() as f64 * (tall + GAP));
    let title = escaped(&grid.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"{title}\">",
        all.0, all.1
    );
    svg.push_str(&format!(
        "<rect class=\"bg\" width=\"{:.0}\" height=\"{:.0}\" fill=\"#fff\"/>",
        all.0, all.1
    ));
    svg.push_str(&text(0.0, 16.0, &grid.title));
    for (row, (name, images)) in grid.rows.iter().enumerate() {
        let y = TOP + row as f64 * (tall + GAP);
        svg.push_str(&text(0.0, y + tall / 2.0, name));
        for (column, values) in images.iter().enumerate() {
            let x = LEFT + column as f64 * (TILE + GAP);
            let address = picture::image(values, grid.shape, picture::Polarity::Light);
            svg.push_str(&format!(
                "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{TILE}\" height=\"{tall:.1}\" href=\"{address}\"/>"
            ));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn text(x: f64, y: f64, content: &str) -> String {
    let content = escaped(content);
    format!(
        "<text x=\"{x}\" y=\"{y:.1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">{content}</text>"
    )
}
