//! What is sent from one worker to another: bytes, with both addresses.
//!
//! A packet is one record for Timely Dataflow, however many states are in it, and is written to the network
//! as it is.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Bytes for a worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packet {
    pub(crate) to: u32,
    pub(crate) from: u32,
    /// Never empty in a packet that is sent.
    pub(crate) bytes: Vec<u8>,
}

/// The addresses and the length.
const HEADER: usize = 16;

impl Accountable for Packet {
    fn record_count(&self) -> i64 {
        i64::from(!self.bytes.is_empty())
    }
}

impl ContainerBytes for Packet {
    fn from_bytes(bytes: Bytes) -> Packet {
        let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
        let number = |at: usize| word(at).map_or(0, u32::from_le_bytes);
        let length = number(8) as usize;
        let bytes = bytes.get(HEADER..HEADER + length).map(<[u8]>::to_vec).unwrap_or_default();
        Packet { to: number(0), from: number(4), bytes }
    }

    fn length_in_bytes(&self) -> usize {
        (HEADER + self.bytes.len()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&self.to.to_le_bytes());
        header[4..8].copy_from_slice(&self.from.to_le_bytes());
        header[8..12].copy_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        let padding = self.length_in_bytes() - HEADER - self.bytes.len();
        for part in [&header[..], &self.bytes, &[0; 8][..padding]] {
            // It is written into memory that was made for it.
            let _ = writer.write_all(part);
        }
    }
}

/// Gives each packet to the worker that it is for.
pub(crate) struct Post;

impl Distributor<Packet> for Post {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(
        &mut self,
        packet: &mut Packet,
        time: &T,
        pushers: &mut [P],
    ) {
        if let Some(pusher) = pushers.get_mut(packet.to as usize) {
            Message::push_at(packet, time.clone(), pusher);
        }
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _: &T, _: &mut [P]) {}
}
