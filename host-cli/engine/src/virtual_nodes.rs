//! The nodes of a virtual machine that share a solver's bands: threads that know no more of each
//! other than what they send, each with a clock of its own, which a message takes along.

use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use tresse_core::base::id::NodeId;
use tresse_core::base::real::Real;
use tresse_core::base::time::Instant;
use tresse_core::multigrid::owned::{Processes, bands_of};
use tresse_core::sim::machine::Costs;
use tresse_core::sim::owned::VirtualClock;

/// What the nodes send each other.
pub(super) struct Network<F> {
    /// What each node says.
    said: Vec<Mutex<HaltStatus<F>>>,
    all: Barrier,
    costs: Costs,
}

/// Parts of an array that all nodes have, with their first places.
type Pieces<T> = Vec<(usize, Vec<T>)>;

/// What a node says, and when.
struct HaltStatus<F> {
    at: Instant,
    numbers: Pieces<F>,
    sums: Pieces<f64>,
    number: u64,
    is: bool,
}

/// One of the nodes.
pub(super) struct VirtualNode<'n, F> {
    pub id: NodeId,
    pub network: &'n Network<F>,
    pub clock: &'n VirtualClock,
}

impl<F: Real> Network<F> {
    /// Returns the network of this many nodes; `costs` are those of its messages and meetings.
    pub fn new(nodes: u32, costs: &Costs) -> Self {
        let nothing = || HaltStatus {
            at: Instant::ZERO,
            numbers: Vec::new(),
            sums: Vec::new(),
            number: 0,
            is: false,
        };
        Self {
            said: (0..nodes).map(|_| Mutex::new(nothing())).collect(),
            all: Barrier::new(nodes as usize),
            costs: *costs,
        }
    }

    /// Does `work` for every node at once, the first one's on this thread, and returns what comes
    /// of it in the order of the nodes. Fails, before any work is done, where the system gives no
    /// more threads.
    pub fn run<R: Send>(
        &self,
        work: impl Fn(NodeId) -> R + Sync,
        first: impl FnOnce() -> R,
    ) -> io::Result<Vec<R>> {
        let work = &work;
        thread::scope(|scope| {
            let others = (1..self.said.len()).map(|number| {
                let (begin, begins): (Sender<()>, Receiver<()>) = channel();
                let node = NodeId(u32::try_from(number).unwrap_or(u32::MAX));
                let thread = move || begins.recv().ok().map(|()| work(node));
                Ok((begin, thread::Builder::new().spawn_scoped(scope, thread)?))
            });
            // Where one is missing, the others hear that nobody begins, as this lets go of what
            // they wait for.
            let others: Vec<_> = others.collect::<io::Result<_>>()?;
            for (begin, _) in &others {
                let _ = begin.send(());
            }
            let first = first();
            let joined = others.into_iter().map(|(_, thread)| thread.join());
            let rest = joined.map(|done| done.ok().flatten().ok_or_else(ended_early));
            std::iter::once(Ok(first)).chain(rest).collect()
        })
    }
}

/// Returns the error of a thread that has panicked.
fn ended_early() -> io::Error {
    io::Error::other("a virtual node has ended early")
}

impl<F: Real> VirtualNode<'_, F> {
    /// Publishes this node's message by `publish`, waits for all nodes, and shows `read` the
    /// message of each, its own included.
    fn meet(&self, publish: impl FnOnce(&mut HaltStatus<F>), mut read: impl FnMut(&HaltStatus<F>)) {
        let lock = |number: usize| {
            let said = self.network.said.get(number)?;
            Some(said.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if let Some(mut said) = lock(self.id.index()) {
            said.at = self.clock.now();
            publish(&mut said);
        }
        self.network.all.wait();
        for number in 0..self.network.said.len() {
            if let Some(said) = lock(number) {
                read(&said);
            }
        }
        self.network.all.wait();
    }

    /// Completes the array `all` on every node, where each has some pieces of it. The clock goes on
    /// to the latest node's time and the cost of the messages.
    fn gather_pieces<T: Copy>(
        &self,
        all: &mut [T],
        own: Range<usize>,
        say: impl FnOnce(&mut HaltStatus<F>),
        pieces: impl Fn(&HaltStatus<F>) -> &Pieces<T>,
    ) {
        let (mut at, mut numbers) = (self.clock.now(), 0);
        self.meet(say, |said| {
            at = at.max(said.at);
            for (first, piece) in pieces(said) {
                numbers += piece.len();
                copy(all, *first..first + piece.len(), piece);
            }
        });
        let others = numbers.saturating_sub(own.len()) as u64;
        self.clock.set(at.after(self.network.costs.gathering(self.number(), others)));
    }

    const fn nodes(&self) -> usize {
        self.network.said.len()
    }

    fn number(&self) -> u32 {
        u32::try_from(self.nodes()).unwrap_or(u32::MAX)
    }
}

impl<F: Real + Send> Processes<F> for VirtualNode<'_, F> {
    fn own(&self, bands: usize) -> Range<usize> {
        bands_of(self.id.index(), self.nodes(), bands)
    }

    /// A message goes up and one down at the same time.
    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize) {
        let reach = if own.is_empty() { 0 } else { reach };
        let (above, below) = (
            own.start.saturating_sub(reach)..own.start,
            own.end..own.end.saturating_add(reach).min(all.len()),
        );
        // What the neighbours read of it: its first numbers, and its last ones.
        let first = own.start..own.end.min(own.start.saturating_add(reach));
        let last = own.start.max(own.end.saturating_sub(reach))..own.end;
        let mine = [first, last].map(|places| piece(all, places)).into();
        let message = self.network.costs.message(reach as u64);
        let mut at = self.clock.now();
        self.meet(
            |said| said.numbers = mine,
            |said| {
                for (first, numbers) in &said.numbers {
                    let from = *first..first + numbers.len();
                    for wanted in [&above, &below] {
                        let places = wanted.start.max(from.start)..wanted.end.min(from.end);
                        if !places.is_empty() {
                            at = at.max(said.at.after(message));
                            let of_piece = places.start - first..places.end - first;
                            copy(all, places, numbers.get(of_piece).unwrap_or_default());
                        }
                    }
                }
            },
        );
        self.clock.set(at);
    }

    fn gather(&mut self, all: &mut [F], own: Range<usize>) {
        let mine = vec![piece(all, own.clone())];
        self.gather_pieces(all, own, |said| said.numbers = mine, |said| &said.numbers);
    }

    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>) {
        let mine = vec![piece(all, own.clone())];
        self.gather_pieces(all, own, |said| said.sums = mine, |said| &said.sums);
    }

    /// Every node sends a message to each that needs what it has, all at the same time.
    fn bring(&mut self, all: &mut [F], own: Range<usize>, needed: Range<usize>) {
        let (mine, mut at) = (vec![piece(all, own.clone())], self.clock.now());
        self.meet(
            |said| said.numbers = mine,
            |said| {
                for (first, numbers) in &said.numbers {
                    let from = *first..first + numbers.len();
                    let places = needed.start.max(from.start)..needed.end.min(from.end);
                    if *first != own.start && !places.is_empty() {
                        at = at.max(said.at.after(self.network.costs.message(places.len() as u64)));
                        let of_piece = places.start - first..places.end - first;
                        copy(all, places, numbers.get(of_piece).unwrap_or_default());
                    }
                }
            },
        );
        self.clock.set(at);
    }

    fn gather_each(&mut self, said: u64) -> Vec<u64> {
        let (mut at, mut each) = (self.clock.now(), Vec::new());
        let say = |place: &mut HaltStatus<F>| place.number = said;
        self.meet(say, |said| {
            at = at.max(said.at);
            each.push(said.number);
        });
        self.clock.set(at.after(self.network.costs.meeting(self.number())));
        each
    }

    fn any(&mut self, is: bool) -> bool {
        let (mut at, mut any) = (self.clock.now(), false);
        self.meet(|said| said.is = is, |said| (at, any) = (at.max(said.at), any | said.is));
        self.clock.set(at.after(self.network.costs.meeting(self.number())));
        any
    }
}

/// Returns a part of an array with its first place.
fn piece<T: Copy>(all: &[T], places: Range<usize>) -> (usize, Vec<T>) {
    (places.start, all.get(places).unwrap_or_default().to_vec())
}

/// Copies numbers to their places in `all`, where these are inside.
fn copy<T: Copy>(all: &mut [T], places: Range<usize>, numbers: &[T]) {
    if let Some(places) = all.get_mut(places) {
        places.copy_from_slice(numbers);
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::base::time::Duration;
    use tresse_core::sim::machine::{Path, Paths};

    use super::*;

    /// Has three nodes do something, each at a time of its own: 0, 1 and 2 microseconds. A message
    /// takes 100 ns, and one more for each number. Returns what each has then, and when.
    fn among_three<R: Send>(
        work: impl Fn(&mut VirtualNode<'_, f64>) -> R + Sync,
    ) -> Vec<(R, Instant)> {
        let halo =
            Paths { network: Path { latency: Duration(100), cell: 1_000 }, ..Paths::default() };
        let network = Network::new(3, &Costs { halo, ..Costs::default() });
        let work = |id: NodeId| {
            let clock = VirtualClock::default();
            clock.set(Instant(u64::from(id.0) * 1_000));
            let done = work(&mut VirtualNode { id, network: &network, clock: &clock });
            (done, clock.now())
        };
        network.run(work, || work(NodeId(0))).unwrap()
    }

    #[test]
    fn a_trade_waits_for_neighbours_only() {
        let traded = among_three(|node| {
            let mut all = [0.0; 9];
            let own = 3 * node.id.index()..3 * node.id.index() + 3;
            all[own.clone()].fill(f64::from(node.id.0 + 1));
            node.trade(&mut all, own, 2);
            all
        });
        let expected = [
            ([1.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0], Instant(1_102)),
            ([0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 0.0], Instant(2_102)),
            ([0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 3.0, 3.0, 3.0], Instant(2_000)),
        ];
        assert_eq!(traded, expected);
    }

    #[test]
    fn everybody_waits_for_what_all_say() {
        // Two doublings, and six numbers of others.
        let gathered = among_three(|node| {
            let mut all = [0.0; 9];
            let own = 3 * node.id.index()..3 * node.id.index() + 3;
            all[own.clone()].fill(f64::from(node.id.0 + 1));
            node.gather_sums(&mut all, own);
            all
        });
        let all = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0];
        assert_eq!(gathered, [(all, Instant(2_206)); 3]);
        let any = among_three(|node| {
            let is = node.id.0 == 1;
            [node.any(is), node.any(false)]
        });
        assert_eq!(any, [([true, false], Instant(2_404)); 3]);
    }

    #[test]
    fn a_node_without_bands_trades_nothing() {
        let traded = among_three(|node| {
            assert_eq!(node.own(4), [0..2, 2..4, 4..4][node.id.index()]);
            let mut all = [f64::from(node.id.0); 4];
            let own = Processes::<f64>::own(node, 4);
            node.trade(&mut all, own, 1);
            all
        });
        let expected = [
            ([0.0, 0.0, 1.0, 0.0], Instant(1_101)),
            ([1.0, 0.0, 1.0, 1.0], Instant(1_000)),
            ([2.0, 2.0, 2.0, 2.0], Instant(2_000)),
        ];
        assert_eq!(traded, expected);
    }
}
