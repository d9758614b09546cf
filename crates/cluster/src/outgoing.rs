//! What a worker has to send: records in blocks, and no more blocks under way than each of the others can
//! take.
//!
//! A block is for one worker and has one kind of record. Blocks of [`BlockKind::is_bulk`] are acknowledged,
//! and at most [`WINDOW`] of them are under way to each worker: so what waits in queues is bounded, however
//! slow the other or the network is.

use narrows_graph::varint;

use crate::packet::Packet;

/// What the records of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BlockKind {
    /// States for their owner.
    States,
    /// The states before those that are looked for: is one of their successors marked?
    Ask,
    /// Marks, in answer to these.
    Marks,
    /// Is this successor marked, on the way along marks?
    Step,
    /// It is.
    Steps,
    /// What a worker has to tell all at the end of a round.
    Summary,
    /// What a worker has counted.
    Totals,
    /// The runs that were found.
    Runs,
    /// Stop at once.
    Stop,
    /// Blocks have arrived.
    Received,
}

impl BlockKind {
    const ALL: [BlockKind; 10] = [
        BlockKind::States,
        BlockKind::Ask,
        BlockKind::Marks,
        BlockKind::Step,
        BlockKind::Steps,
        BlockKind::Summary,
        BlockKind::Totals,
        BlockKind::Runs,
        BlockKind::Stop,
        BlockKind::Received,
    ];

    pub(crate) fn of(byte: u8) -> Option<BlockKind> {
        BlockKind::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }

    /// Returns whether only those send it who work in a round, and not those who wait for its end.
    pub(crate) fn is_work(self) -> bool {
        !matches!(self, BlockKind::Marks | BlockKind::Steps | BlockKind::Stop | BlockKind::Received)
    }

    /// Returns whether there may be many blocks of it.
    pub(crate) fn is_bulk(self) -> bool {
        matches!(self, BlockKind::States | BlockKind::Ask)
    }
}

/// At most so many blocks are under way to a worker.
pub(crate) const WINDOW: u32 = 32;

/// So many are acknowledged at once.
const TOGETHER: u32 = 8;

/// A block is sent when it has so many bytes.
const BLOCK: usize = 1 << 15;

/// The blocks of one worker for all others.
#[derive(Debug)]
pub(crate) struct Outgoing {
    me: u32,
    /// What is being filled, for each worker; the kind is the first byte.
    open: Vec<Vec<u8>>,
    ready: Vec<Packet>,
    /// How many blocks are under way to each.
    under_way: Vec<u32>,
    /// How many have come from each, and have not been acknowledged.
    received: Vec<u32>,
    /// How many bytes were sent in all.
    pub(crate) bytes: u64,
}

impl Outgoing {
    pub(crate) fn new(me: usize, peers: usize) -> Outgoing {
        Outgoing {
            me: me as u32,
            open: vec![Vec::new(); peers],
            ready: Vec::new(),
            under_way: vec![0; peers],
            received: vec![0; peers],
            bytes: 0,
        }
    }

    pub(crate) fn me(&self) -> usize {
        self.me as usize
    }

    pub(crate) fn peers(&self) -> usize {
        self.open.len()
    }

    /// Returns the block of a kind that is being filled for a worker; `head` is what it begins with.
    pub(crate) fn block(&mut self, to: usize, kind: BlockKind, head: u64) -> &mut Vec<u8> {
        let is_other = |open: &Vec<u8>| {
            let mut rest = open.get(1..).unwrap_or_default();
            !open.is_empty() && (open[0] != kind as u8 || varint::read(&mut rest) != Some(head))
        };
        if self.open[to].len() >= BLOCK || is_other(&self.open[to]) {
            self.close(to);
        }
        let open = &mut self.open[to];
        if open.is_empty() {
            open.push(kind as u8);
            varint::write(head, open);
        }
        open
    }

    /// Sends the same to all workers, this one too.
    pub(crate) fn tell_all(&mut self, kind: BlockKind, bytes: &[u8]) {
        for to in 0..self.peers() {
            self.tell(to, kind, bytes);
        }
    }

    /// Sends a block of its own.
    pub(crate) fn tell(&mut self, to: usize, kind: BlockKind, bytes: &[u8]) {
        let mut block = vec![kind as u8];
        varint::write(0, &mut block);
        block.extend_from_slice(bytes);
        self.push(to, block);
    }

    fn close(&mut self, to: usize) {
        if self.open[to].is_empty() {
            return;
        }
        let capacity = self.open[to].capacity();
        let block = std::mem::replace(&mut self.open[to], Vec::with_capacity(capacity.min(BLOCK)));
        self.push(to, block);
    }

    fn push(&mut self, to: usize, bytes: Vec<u8>) {
        if BlockKind::of(bytes[0]).is_some_and(BlockKind::is_bulk) {
            self.under_way[to] += 1;
        }
        self.bytes += bytes.len() as u64;
        self.ready.push(Packet { to: to as u32, from: self.me, bytes });
    }

    /// Closes all blocks.
    pub(crate) fn flush(&mut self) {
        (0..self.peers()).for_each(|to| self.close(to));
    }

    /// Closes all blocks that are not bulk: somebody waits for them.
    pub(crate) fn flush_answers(&mut self) {
        for to in 0..self.peers() {
            if self.open[to].first().and_then(|kind| BlockKind::of(*kind)).is_some_and(|kind| !kind.is_bulk())
            {
                self.close(to);
            }
        }
    }

    /// Returns whether more may be sent now.
    pub(crate) fn has_room(&self) -> bool {
        self.under_way.iter().all(|blocks| *blocks < WINDOW)
    }

    /// Acknowledges a block.
    pub(crate) fn acknowledge(&mut self, from: usize) {
        self.received[from] += 1;
        if self.received[from] == TOGETHER {
            self.received[from] = 0;
            self.tell(from, BlockKind::Received, &[]);
        }
    }

    /// Hears that blocks have arrived.
    pub(crate) fn acknowledged(&mut self, from: usize) {
        self.under_way[from] = self.under_way[from].saturating_sub(TOGETHER);
    }

    /// Takes what is to be sent.
    pub(crate) fn take(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.ready)
    }

    /// Returns how many bytes are held here.
    pub(crate) fn memory(&self) -> u64 {
        let open: usize = self.open.iter().map(Vec::capacity).sum();
        let ready: usize = self.ready.iter().map(|packet| packet.bytes.capacity()).sum();
        (open + ready) as u64
    }
}
