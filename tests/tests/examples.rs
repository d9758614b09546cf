//! Compares with SPIN on our own examples: each is counted by both, in every variant its comment names.

use std::env;
use std::path::Path;

use narrows_tests::compare::{Verdict, compare_file};
use narrows_tests::spin::{self, Limits};

const EXAMPLES: &[(&str, &[&str])] = &[
    ("bottlenecks/bus.pml", &[]),
    ("bottlenecks/bus.pml", &["POSTED"]),
    ("bottlenecks/bus.pml", &["SEPARATE"]),
    ("bottlenecks/dma.pml", &["BUFFERS=1"]),
    ("bottlenecks/dma.pml", &["BUFFERS=2"]),
    ("bottlenecks/nvme.pml", &["DEPTH=1"]),
    ("bottlenecks/nvme.pml", &["DEPTH=4"]),
    ("bottlenecks/ring.pml", &["SIZE=1"]),
    ("bottlenecks/ring.pml", &["SIZE=4"]),
    ("bottlenecks/workers.pml", &[]),
    ("mutex/broken.pml", &[]),
    ("mutex/peterson.pml", &[]),
    ("mutex/philosophers.pml", &[]),
    ("mutex/philosophers.pml", &["POLITE"]),
    ("mutex/semaphore.pml", &[]),
    ("mutex/two_locks.pml", &[]),
    ("mutex/two_locks.pml", &["ORDERED"]),
    ("myrinet/card.pml", &["FIRMWARE=LCP", "PACKETS=1", "ARRIVALS=0"]),
    ("myrinet/card.pml", &["FIRMWARE=MCP", "PACKETS=1", "ARRIVALS=0"]),
    ("myrinet/lcp.pml", &[]),
    ("myrinet/lcp.pml", &["PACKETS=ENDLESS", "ARRIVALS=ENDLESS"]),
    ("myrinet/mcp.pml", &[]),
    ("myrinet/mcp.pml", &["PACKETS=3", "ARRIVALS=1"]),
    ("myrinet/mcp.pml", &["PACKETS=ENDLESS", "ARRIVALS=0"]),
    ("myrinet/mcp.pml", &["PACKETS=0", "ARRIVALS=ENDLESS", "RECEIVE_BUFFERS=1"]),
    ("myrinet/mcp_send.pml", &[]),
    ("myrinet/mcp_send.pml", &["PACKETS=4"]),
    ("nvme/nvme.pml", &[]),
    ("pingpong/barrier.pml", &["P=3"]),
    ("pingpong/locks.pml", &["LOCK=1"]),
    ("pingpong/locks.pml", &["LOCK=2"]),
    ("pingpong/locks.pml", &["LOCK=3"]),
    ("pingpong/pingpong.pml", &["SR=2"]),
    ("pingpong/ring.pml", &["P=3", "M=2", "N=2"]),
    ("pingpong/sr1.pml", &["POLL_LOCKED=0"]),
    ("pingpong/sr1.pml", &["POLL_LOCKED=1"]),
    ("pingpong/sr2.pml", &["N=1"]),
    ("pingpong/sr2.pml", &["N=2"]),
    ("pipeline/double_buffer.pml", &[]),
    ("primer/buffer.pml", &[]),
    ("primer/handshake.pml", &[]),
    ("primer/lamp.pml", &[]),
    ("primer/lossy.pml", &[]),
    ("protocols/alternating_bit.pml", &[]),
    ("protocols/alternating_bit.pml", &["EARLY"]),
    ("protocols/client_server.pml", &[]),
    ("protocols/handshake.pml", &[]),
    ("protocols/ring_election.pml", &[]),
    ("protocols/ring_election.pml", &["N=6"]),
    ("queues/cluster.pml", &["N=2"]),
    ("queues/fms.pml", &["N=1"]),
    ("queues/kanban.pml", &["T=1"]),
    ("queues/mm1k.pml", &[]),
    ("queues/pipeline.pml", &[]),
    ("queues/polling.pml", &["N=3"]),
    ("queues/tandem.pml", &["C=5"]),
    ("tutorial/counter.pml", &[]),
    ("tutorial/counter_fixed.pml", &[]),
];

#[test]
fn narrows_agrees_with_spin_on_our_examples() {
    if !spin::installed() {
        assert!(env::var_os("CI").is_none(), "there is no `spin` here");
        eprintln!("skipped: there is no `spin` here");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for (name, definitions) in EXAMPLES {
        let definitions: Vec<String> = definitions.iter().map(|text| (*text).to_owned()).collect();
        let verdict =
            compare_file(&folder.join(name), &definitions, &Limits::default()).expect("both tools run");
        assert!(matches!(verdict, Verdict::Agreed(_)), "{name} {definitions:?}: {verdict:?}");
    }
}
