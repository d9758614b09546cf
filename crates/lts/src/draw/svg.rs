//! Small graphs as drawings.

use std::fmt::Write;

use narrows_source::printable;

use super::layers::{Layers, layers};
use crate::graph::Graph;

/// As many states fit a drawing that can be read.
pub const MAX_DRAWN_STATES: u32 = 150;

const RADIUS: i32 = 14;
const HEIGHT: i32 = 90;
/// A character is about so wide.
const CHARACTER: i32 = 7;

/// Draws a graph, from the state to begin with downwards; `None` if it has more than [`MAX_DRAWN_STATES`]
/// states.
pub fn svg(graph: &Graph) -> Option<String> {
    if graph.states() > MAX_DRAWN_STATES {
        return None;
    }
    let layers = layers(graph);
    let longest = graph.labels().iter().map(|label| shown(label).chars().count()).max().unwrap_or(0) as i32;
    // Labels of edges to the left and to the right stand beside each other.
    let step = (2 * longest * CHARACTER + 2 * RADIUS).max(80);
    let most = layers.layers.iter().map(Vec::len).max().unwrap_or(0) as i32;
    let (width, height) = (most.max(1) * step + 80, layers.layers.len() as i32 * HEIGHT + 20);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 \
         {width} {height}\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let place = |state: u32| at(&layers, state, step, width);
    for (from, to, label) in together(graph) {
        draw_edge(&mut text, place(from), place(to), &label);
    }
    for state in 0..graph.states() {
        let (x, y) = place(state);
        let thick = if state == graph.initial() { 3 } else { 1 };
        let _ = writeln!(
            text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"#eef\" stroke=\"black\" \
             stroke-width=\"{thick}\"/>\
             <text x=\"{x}\" y=\"{}\">{state}</text>",
            y + 4
        );
    }
    text.push_str("</svg>\n");
    Some(text)
}

fn at(layers: &Layers, state: u32, step: i32, width: i32) -> (i32, i32) {
    let (layer, place) = layers.places[state as usize];
    let row = layers.layers[layer].len() as i32;
    (width / 2 + (2 * place as i32 + 1 - row) * step / 2, layer as i32 * HEIGHT + 40)
}

/// Returns pairs of states with edges, with the labels of these in lines.
fn together(graph: &Graph) -> Vec<(u32, u32, Vec<String>)> {
    let mut edges: Vec<(u32, u32, String)> =
        graph.all_edges().map(|(from, edge)| (from, edge.target, shown(graph.label(edge.label)))).collect();
    edges.sort();
    edges.dedup();
    let same = edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    same.map(|same| (same[0].0, same[0].1, same.iter().map(|edge| edge.2.clone()).collect())).collect()
}

/// Shortens a label.
fn shown(label: &str) -> String {
    match label.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label.to_owned(),
    }
}

fn draw_edge(text: &mut String, (x, y): (i32, i32), (to_x, to_y): (i32, i32), labels: &[String]) {
    let (path, label_x, label_y) = if (x, y) == (to_x, to_y) {
        let path = format!("M{} {} c40 -24 40 32 0 20", x + RADIUS - 2, y - 8);
        (path, x + RADIUS + 34, y + 4)
    } else {
        // Edges bend to the side, so that one back does not hide one forth.
        let (dx, dy) = (f64::from(to_x - x), f64::from(to_y - y));
        let length = dx.hypot(dy).max(1.0);
        let bend = 18.0 + length / 12.0;
        let middle_x = f64::from(x) + dx / 2.0 - dy / length * bend;
        let middle_y = f64::from(y) + dy / 2.0 + dx / length * bend;
        let edge_of = |x: i32, y: i32| {
            let (dx, dy) = (middle_x - f64::from(x), middle_y - f64::from(y));
            let share = f64::from(RADIUS) / dx.hypot(dy).max(1.0);
            ((f64::from(x) + dx * share).round() as i32, (f64::from(y) + dy * share).round() as i32)
        };
        let ((from_x, from_y), (end_x, end_y)) = (edge_of(x, y), edge_of(to_x, to_y));
        let path = format!(
            "M{from_x} {from_y} Q{} {} {end_x} {end_y}",
            middle_x.round() as i32,
            middle_y.round() as i32
        );
        let half =
            |middle: f64, one: i32, other: i32| middle.midpoint(f64::from(one + other) / 2.0).round() as i32;
        (path, half(middle_x, x, to_x), half(middle_y, y, to_y))
    };
    let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#tip)\"/>");
    for (line, label) in labels.iter().enumerate() {
        let y = label_y + line as i32 * 13;
        let _ = writeln!(
            text,
            "<text x=\"{label_x}\" y=\"{y}\" stroke=\"white\" stroke-width=\"4\" \
             paint-order=\"stroke\">{}</text>",
            escaped(label)
        );
    }
}

fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::svg;
    use crate::draw::{csv, dot};
    use crate::{Builder, aut};

    #[test]
    fn graphs_are_written() {
        let graph = aut::read("des (0, 3, 3)\n(0, \"say \"a\", <b>\", 1)\n(1, i, 1)\n(0, \"c\", 1)").unwrap();
        assert_eq!(csv(&graph), "from,label,to\n0,\"say \"\"a\"\", <b>\",1\n0,c,1\n1,i,1\n");
        assert!(dot(&graph).contains("  2;\n  0 -> 1 [label=\"say \\\"a\\\", <b>\"];\n"));
        // XML has no way to write most control characters.
        let drawing = svg(&aut::read("des (0, 1, 2)\n(0, \"a\u{1b}[31m\", 1)").unwrap()).unwrap();
        assert!(drawing.contains(">a␛[31m</text>"));
        let drawing = svg(&graph).unwrap();
        assert!(drawing.contains(">say \"a\", &lt;b&gt;</text>"));
        assert_eq!((drawing.matches("<circle").count(), drawing.matches("<path d=\"M").count()), (3, 3));
    }

    #[test]
    fn large_graphs_are_not_drawn() {
        let mut builder = Builder::new(0, 0);
        builder.states(151);
        assert_eq!(svg(&builder.build().unwrap()), None);
    }
}
