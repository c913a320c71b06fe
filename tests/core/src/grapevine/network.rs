//! Processors that only have messages, and a network that delivers those in any order.

use tresse_core::balance::grapevine::protocol::{
    Lengths, Message, Mode, Peer, ProtocolMemory, Request, Setting, Token,
};
use tresse_core::balance::grapevine::{Config, View};
use tresse_core::base::id::{ObjectId, ProcessorId};

use super::rules::Broken;
use super::world::World;

/// The memory of one processor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnedProtocolMemory {
    objects: Vec<Token>,
    best: Vec<Token>,
    loads: Vec<u64>,
    list: Vec<ObjectId>,
    inbox: Vec<Request>,
}

impl OwnedProtocolMemory {
    /// Returns the memory for the numbers of objects and offers in `lengths`, with these objects.
    pub fn new(lengths: Lengths, objects: &[Token]) -> Self {
        let mut tokens = objects.to_vec();
        tokens.resize(lengths.objects, Token::default());
        Self {
            best: tokens.clone(),
            objects: tokens,
            loads: vec![0; lengths.loads],
            list: vec![ObjectId(0); lengths.objects],
            inbox: vec![Request::EMPTY; lengths.inbox],
        }
    }

    /// Lends the memory to the core.
    pub fn lend(&mut self) -> ProtocolMemory<'_> {
        let Self { objects, best, loads, list, inbox } = self;
        ProtocolMemory { objects, best, loads, list, inbox }
    }
}

impl OwnedProtocolMemory {
    /// Forgets what is not needed between messages that are answered at once.
    pub fn tidy(&mut self, held: usize) {
        self.objects[held..].fill(Token::default());
        self.loads.fill(0);
        self.list.fill(ObjectId(0));
        self.inbox.fill(Request::EMPTY);
    }
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flying {
    /// Number of the sender.
    pub from: u32,
    /// Number of the receiver.
    pub to: u32,
    /// The message.
    pub message: Message,
}

/// All processors, and all messages that are on their way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    /// The processors.
    pub peers: Vec<Peer>,
    /// Memory of the processors.
    pub memories: Vec<OwnedProtocolMemory>,
    /// The messages.
    pub flying: Vec<Flying>,
}

impl World {
    /// Returns the world without the features that need all loads in one memory.
    #[must_use]
    pub fn for_messages(mut self) -> Self {
        let config = self.config;
        let known = config.known.or(Some(64));
        self.config = Config { view: View::Gossiped, known, trials: 1, ..config };
        self.bounded_memory = None;
        self
    }

    /// Returns the setting that all processors agree on.
    pub const fn setting(&self, mode: Mode) -> Setting<'_> {
        Setting { config: &self.config, mode, processors: self.processors }
    }
}

impl Network {
    /// Processors with a world's objects, of which each has memory for `room`.
    ///
    /// # Panics
    /// Where the world is not for messages.
    pub fn new(world: &World, mode: Mode, lengths: Lengths) -> Self {
        let setting = world.setting(mode);
        setting.check().unwrap_or_else(|error| panic!("{error}"));
        let objects = |processor: u32| -> Vec<Token> {
            let all = world.loads.iter().zip(&world.fixed).zip(&world.owners).zip(0..);
            let mine = all.filter(|((_, owner), _)| owner.0 == processor);
            let token = |((&load, &fixed), id)| Token { id: ObjectId(id), load, fixed };
            mine.map(|((of, _), id)| token((of, id))).collect()
        };
        let objects: Vec<_> = (0..world.processors).map(objects).collect();
        let peers = (0..).zip(&objects).map(|(name, mine)| Peer::new(name, mine.len())).collect();
        let memories = objects.iter().map(|mine| OwnedProtocolMemory::new(lengths, mine)).collect();
        let mut network = Self { peers, memories, flying: Vec::new() };
        let Self { peers, memories, flying } = &mut network;
        for (from, (peer, memory)) in (0..).zip(peers.iter_mut().zip(memories)) {
            let mut send = |to, message| flying.push(Flying { from, to, message });
            peer.start(&setting, &mut memory.lend(), &mut send);
        }
        network
    }

    /// Delivers one of the messages; what is sent comes last.
    ///
    /// # Panics
    /// Where there is no such message, or nobody to whom it is addressed.
    pub fn deliver(&mut self, setting: &Setting<'_>, place: usize) {
        let Self { peers, memories, flying } = self;
        let Flying { from, to, message } = flying.swap_remove(place);
        let peer = to as usize;
        let memory = &mut memories[peer].lend();
        let mut send = |other, message| flying.push(Flying { from: to, to: other, message });
        peers[peer].receive(setting, memory, from, message, &mut send);
    }

    /// Delivers all messages, each time the one that `choose` picks, until there are none.
    pub fn run(
        &mut self,
        setting: &Setting<'_>,
        mut choose: impl FnMut(usize) -> usize,
        most: u64,
    ) -> Result<Vec<ProcessorId>, Broken> {
        let mut delivered = 0;
        while !self.flying.is_empty() {
            self.deliver(setting, choose(self.flying.len()));
            delivered += 1;
            if delivered > most {
                return Err(Broken(format!("no end after {most} messages")));
            }
        }
        if let Some(peer) = self.peers.iter().find(|peer| !peer.is_done()) {
            return Err(Broken(format!("stuck: {peer:?}")));
        }
        self.owners()
    }

    /// Returns the objects of a processor.
    ///
    /// # Panics
    /// Where there is no such processor.
    pub fn objects(&self, name: usize) -> &[Token] {
        self.memories[name].objects.get(..self.peers[name].held()).unwrap_or_default()
    }

    /// Returns the owner of each object; fails if an object is nowhere, or at two processors.
    pub fn owners(&self) -> Result<Vec<ProcessorId>, Broken> {
        let mut all = Vec::new();
        for name in (0..).take(self.peers.len()).map(ProcessorId) {
            all.extend(self.objects(name.index()).iter().map(|object| (object.id, name)));
        }
        all.sort_unstable();
        match (0..).zip(&all).find(|(id, (object, _))| object.0 != *id) {
            Some((id, _)) => Err(Broken(format!("object {id} is lost or doubled"))),
            None => Ok(all.into_iter().map(|(_, owner)| owner).collect()),
        }
    }
}
