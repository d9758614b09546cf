//! Diagrams as a picture: boxes in layers, arrows with their labels.

use std::fmt::Write;

use super::layout::{LOOP, Layout, Placed, Way, fitted, layout, text_width};
use super::{Diagram, DiagramNode, NodeKind};
use crate::escape::Escaped;

/// The room for a title.
const TITLE: f64 = 34.0;

pub(crate) const STYLE: &str = include_str!("diagram.css");

/// The same colours as those of charts.
const COLOURS: &str = "
svg { --back: #ffffff; --ink: #1f2430; --faint: #6b7280; --accent: #2456c7; --panel: #f5f6f8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  svg { --back: #14171c; --ink: #e4e7ec; --faint: #98a0ad; --accent: #8fb2ff; --panel: #1c2027; --bad: #ff8a80; }
}
";

/// Draws diagrams below each other.
pub fn svg(diagrams: &[Diagram], name: &str) -> String {
    let layouts: Vec<Layout> = diagrams.iter().map(layout).collect();
    let titles = diagrams.iter().map(|diagram| text_width(&diagram.title) * 1.2 + 32.0);
    let width = layouts.iter().map(|layout| layout.width).chain(titles).fold(160.0, f64::max).ceil();
    let height = layouts.iter().map(|layout| layout.height + TITLE).sum::<f64>().max(40.0).ceil();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" \
         class=\"diagram\">\n<title>{}</title>\n<style>{COLOURS}{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n\
         <rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n",
        Escaped(name),
    );
    let mut top = 0.0;
    for (diagram, layout) in diagrams.iter().zip(&layouts) {
        let _ = writeln!(
            out,
            "<g transform=\"translate(0 {top:.0})\"><text class=\"title\" x=\"16\" y=\"24\">{}</text></g>",
            Escaped(fitted(&diagram.title)),
        );
        top += TITLE;
        let _ = writeln!(out, "<g transform=\"translate(0 {top:.0})\">");
        for (edge, way) in diagram.edges.iter().zip(&layout.edges) {
            draw_edge(&edge.label, way, &layout.nodes[edge.from], &mut out);
        }
        for (index, (node, placed)) in diagram.nodes.iter().zip(&layout.nodes).enumerate() {
            draw_node(node, index == 0, placed, &mut out);
        }
        out.push_str("</g>\n");
        top += layout.height;
    }
    out.push_str("</svg>\n");
    out
}

fn draw_node(node: &DiagramNode, is_first: bool, placed: &Placed, out: &mut String) {
    let DiagramNode { name, note, is_end, kind, is_marked } = node;
    let Placed { x, y, width, height } = placed;
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let (class, round) = match kind {
        NodeKind::State => ("", 8.0),
        NodeKind::Process => (" process", 3.0),
        NodeKind::Channel => (" channel", 13.0),
        NodeKind::Variable => (" variable", 13.0),
        NodeKind::Resource => (" resource", 0.0),
    };
    let mark = if *is_marked { " marked" } else { "" };
    let _ = write!(
        out,
        "<g class=\"node{class}{mark}\"><title>{}</title><rect class=\"box\" x=\"{left:.1}\" y=\"{top:.1}\" \
         width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round}\"/>",
        Escaped(if note.is_empty() { name } else { note }),
    );
    if *is_end {
        let _ = write!(
            out,
            "<rect class=\"inner\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            left + 3.0,
            top + 3.0,
            width - 6.0,
            height - 6.0,
        );
    }
    if is_first && *kind == NodeKind::State {
        let _ = write!(
            out,
            "<path class=\"start\" d=\"M{:.1} {y:.1}h12\" marker-end=\"url(#tip)\"/>",
            left - 13.0
        );
    }
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>", y + 4.0, Escaped(fitted(name)));
}

fn draw_edge(label: &str, way: &Way, from: &Placed, out: &mut String) {
    let (path, place, class) = match way {
        Way::Points { points, label: place } => (curve(points), *place, "label"),
        Way::Loop { number } => {
            let (x, y) = (from.x + from.width / 2.0, from.y);
            let path = format!("M{x:.1} {:.1}c18 -12 18 24 0 12", y - 6.0);
            let path = if *number == 0 { path } else { String::new() };
            (path, (x + LOOP - 4.0, y + *number as f64 * 18.0), "label loop")
        }
    };
    let _ = write!(out, "<g class=\"edge\"><title>{}</title>", Escaped(label));
    if !path.is_empty() {
        let _ = write!(out, "<path d=\"{path}\" marker-end=\"url(#tip)\"/>");
    }
    if !label.is_empty() {
        let width = text_width(label);
        if class == "label" {
            let _ = write!(
                out,
                "<rect class=\"under\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"16\"/>",
                place.0 - width / 2.0,
                place.1 - 8.0,
            );
        }
        let _ = write!(
            out,
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            place.0,
            place.1 + 4.0,
            Escaped(fitted(label)),
        );
    }
    out.push_str("</g>\n");
}

/// Returns a smooth line through points, upright at each.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = match index.checked_sub(1).map(|before| points[before]) {
            None => write!(path, "M{x:.1} {y:.1}"),
            Some((old_x, old_y)) => {
                let middle = f64::midpoint(old_y, *y);
                write!(path, "C{old_x:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}")
            }
        };
    }
    path
}
