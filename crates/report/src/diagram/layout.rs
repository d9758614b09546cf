//! Where the nodes, edges and labels of a diagram are.
//!
//! Nodes stand in layers, and the labels of edges in rows between them, so that no text covers another. An
//! edge that passes a row has a bend there. The order in a row is that of the middles of the neighbours, over
//! several sweeps (Sugiyama, 1981); then everything moves as close to the middle of its neighbours as the
//! order allows.

use super::Diagram;
use super::layers::layers;

/// How wide a character is.
pub(super) const CHARACTER: f64 = 7.2;
/// So many characters of a text are drawn.
const LONGEST: usize = 44;
const NODE_HEIGHT: f64 = 26.0;
const LABEL_HEIGHT: f64 = 18.0;
/// The room between rows, and between what stands beside each other.
const GAP: f64 = 16.0;
/// How far the label of a loop is from its node.
pub(super) const LOOP: f64 = 24.0;
/// How far from the middle of a node edges that lead upwards begin and end.
const ASIDE: f64 = 8.0;
const MARGIN: f64 = 16.0;
const SWEEPS: usize = 12;

/// A diagram with places; lengths are in pixels.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// For each node, its middle and its size.
    pub(super) nodes: Vec<Placed>,
    pub(super) edges: Vec<Way>,
}

/// A box.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where an edge runs.
#[derive(Debug)]
pub(super) enum Way {
    /// Through these points.
    Points { points: Vec<(f64, f64)>, label: (f64, f64) },
    /// Back to its own node, as one of several.
    Loop { number: usize },
}

/// Shortens a text to what is drawn.
pub(super) fn fitted(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

pub(super) fn text_width(text: &str) -> f64 {
    fitted(text).chars().count() as f64 * CHARACTER
}

/// Something in a row: a node, a label or a bend.
#[derive(Clone, Debug, Default)]
struct Item {
    row: usize,
    /// How far it reaches to the left and to the right of its middle.
    left: f64,
    right: f64,
    x: f64,
    /// The items it is joined to in the row above, and in the row below.
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays out a diagram.
pub(super) fn layout(diagram: &Diagram) -> Layout {
    let (layers, upwards) = layers(diagram);
    let mut sheet = Sheet::default();
    let mut loops = vec![0_usize; diagram.nodes.len()];
    let mut beside = vec![0.0_f64; diagram.nodes.len()];
    for edge in diagram.edges.iter().filter(|edge| edge.from == edge.to) {
        loops[edge.from] += 1;
        beside[edge.from] = beside[edge.from].max(LOOP + text_width(&edge.label));
    }
    for (index, node) in diagram.nodes.iter().enumerate() {
        let half = text_width(&node.name) / 2.0 + 12.0;
        sheet.add(layers[index] * 2, half, half + beside[index]);
    }
    let chains: Vec<Vec<usize>> = (0..diagram.edges.len())
        .map(|number| sheet.chain(diagram, number, &layers, upwards[number]))
        .collect();
    sheet.order();
    sheet.align();
    let heights: Vec<f64> = (0..sheet.rows.len())
        .map(|row| {
            let here = sheet.rows[row].iter().filter(|item| **item < loops.len());
            let most = here.map(|item| loops[*item]).max().unwrap_or(0) as f64;
            if row % 2 == 0 { NODE_HEIGHT.max(most * LABEL_HEIGHT) } else { LABEL_HEIGHT }
        })
        .collect();
    let mut tops = vec![MARGIN];
    for height in &heights {
        tops.push(tops[tops.len() - 1] + height + GAP);
    }
    let place = |item: usize| {
        let row = sheet.items[item].row;
        (sheet.items[item].x, tops[row] + heights[row] / 2.0)
    };
    let nodes: Vec<Placed> = (0..diagram.nodes.len())
        .map(|index| {
            let (x, y) = place(index);
            Placed { x, y, width: sheet.items[index].left * 2.0, height: NODE_HEIGHT }
        })
        .collect();
    let mut drawn = vec![0; diagram.nodes.len()];
    let edges = diagram.edges.iter().enumerate().map(|(number, edge)| {
        if edge.from == edge.to {
            drawn[edge.from] += 1;
            return Way::Loop { number: drawn[edge.from] - 1 };
        }
        way(&chains[number], &nodes, upwards[number], &place)
    });
    let edges = edges.collect();
    let right = sheet.items.iter().map(|item| item.x + item.right).fold(0.0, f64::max);
    Layout { width: right + MARGIN, height: tops[tops.len() - 1] - GAP + MARGIN, nodes, edges }
}

fn way(chain: &[usize], nodes: &[Placed], is_upwards: bool, place: &dyn Fn(usize) -> (f64, f64)) -> Way {
    let last = chain.len() - 1;
    let mut points: Vec<(f64, f64)> = chain.iter().map(|item| place(*item)).collect();
    points[0].1 += nodes[chain[0]].height / 2.0;
    points[last].1 -= nodes[chain[last]].height / 2.0;
    let label = points[if is_upwards { last - 1 } else { 1 }];
    if is_upwards {
        points[0].0 += ASIDE;
        points[last].0 += ASIDE;
        points.reverse();
    }
    Way::Points { points, label }
}

#[derive(Default)]
struct Sheet {
    /// Nodes come first, in their order.
    items: Vec<Item>,
    rows: Vec<Vec<usize>>,
}

impl Sheet {
    fn add(&mut self, row: usize, left: f64, right: f64) -> usize {
        self.items.push(Item { row, left, right, ..Item::default() });
        while self.rows.len() <= row {
            self.rows.push(Vec::new());
        }
        self.rows[row].push(self.items.len() - 1);
        self.items.len() - 1
    }

    /// Adds what an edge needs in the rows between its nodes; returns all its items, from top to bottom.
    fn chain(&mut self, diagram: &Diagram, number: usize, layers: &[usize], is_upwards: bool) -> Vec<usize> {
        let edge = &diagram.edges[number];
        if edge.from == edge.to {
            return Vec::new();
        }
        let (top, bottom) = if is_upwards { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let rows = layers[top] * 2 + 1..layers[bottom] * 2;
        let label_row = if is_upwards { rows.end - 1 } else { rows.start };
        let mut chain = vec![top];
        for row in rows {
            let half = if row == label_row { text_width(&edge.label) / 2.0 + 3.0 } else { 3.0 };
            chain.push(self.add(row, half, half));
        }
        chain.push(bottom);
        for pair in chain.windows(2) {
            self.items[pair[0]].below.push(pair[1]);
            self.items[pair[1]].above.push(pair[0]);
        }
        chain
    }

    /// Puts the items of each row into an order with few crossings.
    fn order(&mut self) {
        let mut positions = vec![0_usize; self.items.len()];
        let note = |positions: &mut [usize], row: &[usize]| {
            row.iter().enumerate().for_each(|(position, item)| positions[*item] = position);
        };
        self.rows.iter().for_each(|row| note(&mut positions, row));
        for sweep in 0..SWEEPS {
            let is_down = sweep % 2 == 0;
            for step in 0..self.rows.len() {
                let row = if is_down { step } else { self.rows.len() - 1 - step };
                let items = &self.items;
                let middle = |item: &usize| {
                    let neighbours = if is_down { &items[*item].above } else { &items[*item].below };
                    match neighbours.len() {
                        0 => positions[*item] * 1000,
                        count => {
                            neighbours.iter().map(|other| positions[*other] * 1000).sum::<usize>() / count
                        }
                    }
                };
                self.rows[row].sort_by_cached_key(middle);
                note(&mut positions, &self.rows[row]);
            }
        }
    }

    /// Moves items towards the middle of their neighbours.
    fn align(&mut self) {
        for row in &self.rows {
            let mut next = 0.0;
            for item in row {
                let item = &mut self.items[*item];
                item.x = next + item.left;
                next = item.x + item.right + GAP;
            }
        }
        for sweep in 0..SWEEPS * 2 {
            for step in 0..self.rows.len() {
                let row = if sweep % 2 == 0 { step } else { self.rows.len() - 1 - step };
                self.align_row(row);
            }
        }
        let least = self.items.iter().map(|item| item.x - item.left).fold(f64::INFINITY, f64::min);
        self.items.iter_mut().for_each(|item| item.x += MARGIN - least);
    }

    /// Moves the items of a row as little as possible from where they want to be, in their order: those that
    /// want to pass each other become a block, which stands where its items want to be on average.
    fn align_row(&mut self, row: usize) {
        let mut offsets = Vec::new();
        let mut offset = 0.0;
        // Of each block how many items it has, and the sum of where they want its start.
        let mut blocks: Vec<(usize, f64)> = Vec::new();
        for (index, item) in self.rows[row].iter().enumerate() {
            let item = &self.items[*item];
            if index > 0 {
                offset += item.left;
            }
            offsets.push(offset);
            offset += item.right + GAP;
            let neighbours = item.above.iter().chain(&item.below);
            let sum: f64 = neighbours.clone().map(|other| self.items[*other].x).sum();
            let count = neighbours.count();
            let wanted = if count == 0 { item.x } else { sum / count as f64 };
            blocks.push((1, wanted - offsets[index]));
            while let [.., (before, wanted_before), (count, wanted)] = blocks.as_slice()
                && wanted_before / *before as f64 > wanted / *count as f64
            {
                let joined = (before + count, wanted_before + wanted);
                blocks.truncate(blocks.len() - 2);
                blocks.push(joined);
            }
        }
        let starts =
            blocks.iter().flat_map(|(count, wanted)| std::iter::repeat_n(wanted / *count as f64, *count));
        for ((item, offset), start) in self.rows[row].iter().zip(&offsets).zip(starts) {
            self.items[*item].x = start + offset;
        }
    }
}
