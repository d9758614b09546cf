//! Where states stand in a drawing: in layers by how far they are from the first one, near the states before
//! them.

use crate::graph::Graph;

/// The layer of each state, and its place there.
pub(super) struct Layers {
    /// For each state its layer and its place in it.
    pub(super) places: Vec<(usize, usize)>,
    /// The states of each layer.
    pub(super) layers: Vec<Vec<u32>>,
}

/// Puts states into layers, and orders each layer so that edges cross less.
pub(super) fn layers(graph: &Graph) -> Layers {
    let mut distance = vec![usize::MAX; graph.states() as usize];
    let mut layers: Vec<Vec<u32>> = Vec::new();
    // States that can't be reached come last, in layers of their own.
    let starts =
        std::iter::once(graph.initial()).chain(0..graph.states()).filter(|state| *state < graph.states());
    for start in starts {
        if distance[start as usize] != usize::MAX {
            continue;
        }
        distance[start as usize] = layers.len();
        layers.push(vec![start]);
        let mut at = layers.len() - 1;
        while at < layers.len() {
            let mut next = Vec::new();
            for edge in layers[at].iter().flat_map(|state| graph.edges_from(*state)) {
                if distance[edge.target as usize] == usize::MAX {
                    distance[edge.target as usize] = at + 1;
                    next.push(edge.target);
                }
            }
            if !next.is_empty() {
                layers.push(next);
            }
            at += 1;
        }
    }
    let mut found = Layers { places: distance.into_iter().map(|layer| (layer, 0)).collect(), layers };
    (0..found.layers.len()).for_each(|layer| found.number(layer));
    for _ in 0..8 {
        found.sweep(graph);
    }
    found
}

impl Layers {
    fn number(&mut self, layer: usize) {
        for (at, state) in self.layers[layer].iter().enumerate() {
            self.places[*state as usize].1 = at;
        }
    }

    /// Sorts each layer by the mean place of the neighbours in other layers.
    fn sweep(&mut self, graph: &Graph) {
        let mut sums = vec![(0, 0); self.places.len()];
        for (from, edge) in graph.all_edges() {
            let (one, other) = (self.places[from as usize], self.places[edge.target as usize]);
            if one.0 != other.0 {
                for (state, (layer, place)) in [(from, other), (edge.target, one)] {
                    // Places are compared as if all layers were equally wide.
                    let width = self.layers[layer].len();
                    sums[state as usize].0 += (2 * place + 1) * 10_000 / width;
                    sums[state as usize].1 += 1;
                }
            }
        }
        for layer in 0..self.layers.len() {
            let width = self.layers[layer].len();
            let places = &self.places;
            let mean = |state: &u32| match sums[*state as usize] {
                (_, 0) => (2 * places[*state as usize].1 + 1) * 10_000 / width,
                (sum, count) => sum / count,
            };
            self.layers[layer].sort_by_key(mean);
            self.number(layer);
        }
    }
}
