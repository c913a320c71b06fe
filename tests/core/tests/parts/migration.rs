//! Migration in larger worlds, and searches in every small one, against naive oracles.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tresse_core::base::id::{RankId, SlotId};
use tresse_core::base::rng::Rng;
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::Graph as _;
use tresse_core::parts::halo;
use tresse_core::parts::halo::{Bounds, DirectoryEntry, Location, Met, Search};
use tresse_core::ranks::Coming;
use tresse_core::run::{Balance, GridSize, Mode};
use tresse_core_tests::configurations::{config, iterations};
use tresse_core_tests::migration::bytes;
use tresse_core_tests::migration::delayed::Delayed;
use tresse_core_tests::migration::graph::{LINKS, Parts};
use tresse_core_tests::migration::net::{Edges, SlotWords};
use tresse_core_tests::migration::rank::Rank;
use tresse_core_tests::migration::system::{Fault, Setting, Step, System, identify};
use tresse_core_tests::small::digits;

/// Some ranks with their subdomains of a grid, all of which may move and all of whose neighbours
/// read.
fn setting(ranks: u32, split: u32, spare: u32, fault: Fault) -> Setting {
    let grid = GridSize { rows: 40, columns: 40 };
    let config = config(grid, (ranks, split), (Mode::Async, Balance::None), iterations(1));
    let cut = Decomposition::new(&config).unwrap_or_else(|error| panic!("{error}"));
    let first = cut.ids().map(|id| cut.first_owner(id).index()).collect();
    all_move(Parts::Grid(cut), first, (ranks, split + spare), fault)
}

/// Ranks with parts in a ring with chords.
fn ring(ranks: u32, split: u32, spare: u32, fault: Fault) -> Setting {
    let split = split.max(7_u32.div_ceil(ranks));
    let first = (0..ranks * split).map(|part| (part / split) as usize).collect();
    all_move(Parts::Ring(ranks * split), first, (ranks, split + spare), fault)
}

fn all_move(graph: Parts, first: Vec<usize>, (ranks, slots): (u32, u32), fault: Fault) -> Setting {
    let number = graph.parts();
    let links = |id| {
        let has = move |link: &usize| graph.neighbour(identify(id), *link).is_some();
        (0..LINKS).filter(has).map(move |link| (id, link))
    };
    Setting {
        bounds: Bounds { subdomains: number, ranks, slots },
        graph,
        first,
        offers: u32::MAX,
        moves: (0..number as usize).collect(),
        readers: (0..number as usize).flat_map(links).collect(),
        is_swift: false,
        tears: true,
        mangles: true,
        fault,
    }
}

/// The result of a run.
#[derive(Debug, Default)]
struct Ran {
    accepted: u32,
    refused: u32,
    damaged: u32,
    met: u32,
    shortened: u32,
    longest: u32,
}

/// The owner of every subdomain by what was installed where, which is all that the oracle knows.
struct Run<'a> {
    setting: &'a Setting,
    system: System,
    owners: BTreeMap<usize, usize>,
    ran: Ran,
}

impl<'a> Run<'a> {
    fn new(setting: &'a Setting) -> Self {
        let owners = setting.first.iter().copied().enumerate().collect();
        Self { setting, system: System::new(setting), owners, ran: Ran::default() }
    }

    fn make(&mut self, step: Step) -> Result<(), String> {
        let entries = |system: &System, step| match step {
            Step::Get(rank, _) => Some(system.memories[rank].directory.clone()),
            _ => None,
        };
        let before = entries(&self.system, step);
        if let Step::Get(rank, place) = step {
            let link = self.system.ranks[rank].shipped.links.link(place);
            let is_edge = link.is_some_and(|link| matches!(link.coming, Coming::Edge(_)));
            self.ran.met += u32::from(is_edge);
        }
        let arrival = |system: &System| match step {
            Step::Receive(rank) | Step::ReceiveMangled(rank, _) => {
                system.ranks[rank].shipped.moves.arrival().map(|arrival| (rank, arrival.subdomain))
            }
            _ => None,
        };
        let refused =
            |system: &System| -> u32 { system.ranks.iter().map(|rank| rank.house.refused).sum() };
        let (comes, damaged) = (arrival(&self.system), refused(&self.system));
        self.system.apply(self.setting, step);
        self.ran.damaged += refused(&self.system) - damaged;
        match (comes, arrival(&self.system)) {
            // It has landed, or was refused.
            (Some((rank, id)), None) if refused(&self.system) == damaged => {
                self.owners.insert(id.index(), rank);
                self.ran.accepted += 1;
            }
            _ => {}
        }
        if let Step::Look(rank) = step {
            self.ran.refused +=
                u32::from(self.system.ranks[rank].shipped.moves.arrival().is_none());
        }
        self.ran.shortened += u32::from(before != entries(&self.system, step));
        self.ran.longest = self.ran.longest.max(self.system.hops());
        let held = |(&id, &rank): (&usize, &usize)| {
            self.system.held(id).is_none_or(|(holder, _)| holder == rank || self.on_its_way(id))
        };
        let wrong = self.owners.iter().find(|&owner| !held(owner));
        match wrong {
            Some(wrong) => Err(format!("{wrong:?} is held by another")),
            None if !self.system.halos_are_right() => {
                Err("the edges of another subdomain were taken for a neighbour's".into())
            }
            None => Ok(()),
        }
    }

    /// Refused, it is held again where it was.
    fn on_its_way(&self, id: usize) -> bool {
        let departures = self.system.ranks.iter().filter_map(|rank| rank.shipped.moves.departure());
        departures.map(|departure| departure.transfer.subdomain).any(|one| one == identify(id))
    }

    fn check(&self) -> Result<(), String> {
        let (system, setting) = (&self.system, self.setting);
        let checks = [
            (system.has_one_owner(), "a subdomain counts not exactly once"),
            (system.chains_end(setting), "a chain does not end where the subdomain is"),
            (system.halo_tags_are_at_home(setting), "a halo tag has another subdomain's edges"),
            (system.shows_nothing_false(), "a reader takes for out what is not"),
            (system.all_are_found(setting), "a subdomain is not found"),
            (system.all_are_linked(setting), "a neighbour is not followed"),
            (system.is_not_stuck(setting), "something waits for ever"),
        ];
        let broken = checks.iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, what)| Err((*what).to_owned()))
    }

    /// Random steps, of each kind as likely.
    fn wander(&mut self, steps: u32, seed: u64) -> Result<(), String> {
        let mut rng = Rng::new(seed, 0);
        for number in 0..steps {
            let possible = match rng.below(5) {
                0 => self.system.sends(self.setting),
                1 => self.system.shows(),
                2 => self.system.protocol(self.setting),
                _ => self.system.possible(self.setting),
            };
            let mut possible = possible;
            if rng.below(32) > 0 {
                possible.retain(|step| !matches!(step, Step::ReceiveMangled(..)));
            }
            let chosen = rng.up_to(possible.len().saturating_sub(1) as u64);
            if let Some(&step) = possible.get(usize::try_from(chosen).unwrap_or(0)) {
                self.make(step)?;
            }
            if number % 16 == 0 {
                self.check()?;
            }
        }
        Ok(())
    }

    /// Sends nothing more, and lets every neighbour look until it has found what it looks for.
    fn settle(&mut self) -> Result<(), String> {
        // Nothing goes on for so long but what goes on for ever.
        for _ in 0..2_000 {
            let mut steps = self.system.protocol(self.setting);
            steps.retain(|step| !matches!(step, Step::ReceiveMangled(..)));
            steps.extend(self.system.shows());
            match steps.first() {
                Some(&step) => self.make(step)?,
                None if self.system.is_quiet() => break,
                // What leaves waits until what it has read is out.
                None => self.read_all()?,
            }
        }
        self.check()?;
        if !self.system.is_quiet() {
            return Err("it does not come to rest".into());
        }
        self.system.ranks.iter_mut().for_each(|rank| rank.shipped.links.renew());
        // To the end of what was begun before, there, and once more where it has been found.
        for _ in 0..4 * (self.setting.bounds.ranks + 4) {
            self.read_all()?;
        }
        if !self.system.ranks.iter().all(|rank| rank.shipped.links.are_fresh()) {
            return Err("a neighbour is not found".into());
        }
        for reader in self.system.ranks.iter().flat_map(Rank::readers) {
            let owner = self.owners.get(&reader.neighbour().index()).copied();
            if owner != Some(reader.known().rank.index()) {
                return Err(format!("{reader:?} met a ghost"));
            }
        }
        self.check()
    }

    /// Makes one step of every reader.
    fn read_all(&mut self) -> Result<(), String> {
        let steps = self.system.reads(self.setting);
        steps.into_iter().try_for_each(|step| self.make(step))
    }
}

fn run(setting: &Setting, steps: u32, seed: u64) -> Result<Ran, String> {
    let mut run = Run::new(setting);
    run.wander(steps, seed)?;
    run.settle()?;
    Ok(run.ran)
}

#[test]
fn thousands_of_moves_lose_nothing() {
    let ran = run(&setting(5, 6, 4, Fault::None), 90_000, 1).unwrap();
    assert!(ran.accepted > 2_000 && ran.met > 500 && ran.damaged > 100, "{ran:?}");
    assert!(ran.refused > 20 && ran.shortened > 100 && ran.longest >= 4, "{ran:?}");
}

#[test]
fn hundreds_of_moves_of_unlike_parts_lose_nothing() {
    let ran = run(&ring(5, 2, 2, Fault::None), 20_000, 1).unwrap();
    assert!(ran.accepted > 400 && ran.met > 100 && ran.damaged > 20, "{ran:?}");
    assert!(ran.refused > 4 && ran.shortened > 20 && ran.longest >= 3, "{ran:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_order_of_steps_keeps_every_subdomain(
        (ranks, split, spare) in (2_u32..6, 1_u32..6, 0_u32..4),
        steps in 0_u32..1_500,
        seed in any::<u64>(),
    ) {
        let made = if seed.is_multiple_of(2) { setting } else { ring };
        if let Err(wrong) = run(&made(ranks, split, spare, Fault::None), steps, seed) {
            return Err(TestCaseError::fail(wrong));
        }
    }

    #[test]
    fn words_of_any_bytes_keep_the_rules(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Err(wrong) = bytes::run(&bytes) {
            return Err(TestCaseError::fail(wrong));
        }
    }
}

/// An edge may be read before its head says that it is out; whoever has read it leaves only then,
/// or it would find an older one where it comes.
#[test]
fn nobody_leaves_before_what_it_has_read_is_out() {
    let setting = setting(2, 2, 2, Fault::None);
    let mut system = System::new(&setting);
    let apart = |(id, link): &(usize, usize)| {
        let of = setting.graph.neighbour(identify(*id), *link)?;
        let (here, there) = (setting.first[*id], setting.first[of.index()]);
        (here != there).then_some((*id, *link, of, here, there))
    };
    let (id, link, of, here, there) = setting.readers.iter().find_map(apart).unwrap();
    let place = system.ranks[here].place(id, link).unwrap();
    let slot = system.ranks[there].house.table[of.index()].unwrap();
    let tag = system.memories[there].slots[slot].newest().tag;
    let publish = |system: &mut System, version| {
        let edges = Some(Edges { subdomain: of, version: 3 });
        system.memories[there].slots[slot] = Delayed::new(SlotWords { edges, version, tag });
    };
    let make = |system: &mut System, steps: &[Step]| {
        for step in steps {
            system.apply(&setting, *step);
        }
    };
    let (begin, get, let_go) =
        (Step::Begin(here, place), Step::Get(here, place), Step::LetGo(here));
    publish(&mut system, 1);
    make(&mut system, &[begin, get, get]);
    let reader = system.ranks[here].shipped.links.link(place).unwrap().reader;
    assert!(reader.fetched() == Some(3) && !reader.has_shown(3));
    make(&mut system, &[Step::Send(id, there), let_go, let_go]);
    assert!(system.ranks[here].house.frozen.is_some(), "its worker has let it go");
    assert!(!system.ranks[here].house.is_packed && system.memories[there].mailbox[here] == 0);
    publish(&mut system, 3);
    make(&mut system, &[begin, get, let_go]);
    assert!(system.ranks[here].house.is_packed && system.memories[there].mailbox[here] != 0);
}

#[test]
fn planted_faults_are_found() {
    for fault in [
        Fault::AnswersEarly,
        Fault::ForwardsEarly,
        Fault::Overwrites,
        Fault::TagFirst,
        Fault::IgnoresTenant,
        Fault::IgnoresLabel,
    ] {
        for setting in [setting(3, 3, 2, fault), ring(3, 3, 2, fault)] {
            let found = (0..80).any(|seed| run(&setting, 2_000, seed).is_err());
            assert!(found, "{fault:?} was not found");
        }
    }
}

const RANKS: u32 = 3;
const EPOCHS: u32 = 4;

/// Returns every entry that a rank can have.
fn entries() -> Vec<DirectoryEntry> {
    let here = (0..EPOCHS).map(|epoch| DirectoryEntry::Here { slot: SlotId(1), epoch });
    let left = (0..RANKS).flat_map(|to| {
        (0..EPOCHS).map(move |epoch| DirectoryEntry::Left { to: RankId(to), epoch })
    });
    here.chain(left).chain([DirectoryEntry::Unknown]).collect()
}

/// Returns the end of the forwards, with what they say on the way: each is later than the one
/// before, and the last place is no earlier.
fn naive(entries: &[DirectoryEntry], known: Location, met: Met) -> Option<Location> {
    let (mut rank, mut told) = match met {
        Met::Here => return None,
        Met::Stranger => (known.rank, vec![known.epoch]),
        Met::Moved(to) => (to, vec![known.epoch + 1]),
    };
    loop {
        match entries[rank.index()] {
            DirectoryEntry::Left { to, epoch }
                if to != rank && told.iter().all(|&told| told < epoch) =>
            {
                rank = to;
                told.push(epoch);
            }
            DirectoryEntry::Here { slot, epoch } if told.iter().all(|&told| told <= epoch) => {
                return Some(Location { rank, slot, epoch });
            }
            _ => return None,
        }
    }
}

#[test]
fn every_small_world_is_searched_as_its_forwards_say() {
    let all = entries();
    let bounds = Bounds { subdomains: 1, ranks: RANKS, slots: 2 };
    let (mut worlds, mut found, mut longest) = (0, 0, 0);
    for world in 0..all.len().pow(RANKS) {
        let entries: Vec<_> = digits(world, all.len(), RANKS).map(|one| all[one]).collect();
        for (rank, epoch) in (0..RANKS).flat_map(|rank| (0..EPOCHS).map(move |epoch| (rank, epoch)))
        {
            let known = Location { rank: RankId(rank), slot: SlotId(0), epoch };
            let others = (0..RANKS).filter(|&to| to != rank).map(|to| Met::Moved(RankId(to)));
            for met in others.chain([Met::Stranger]) {
                let mut search = Search::new(known, met, bounds).unwrap();
                let end = loop {
                    match search.read(entries[search.rank().index()]) {
                        halo::SearchStep::Next(_) => {}
                        halo::SearchStep::Found(location) => break Some(location),
                        halo::SearchStep::Retry => break None,
                    }
                };
                assert_eq!(end, naive(&entries, known, met), "{entries:?} {known:?} {met:?}");
                (worlds, found) = (worlds + 1, found + u32::from(end.is_some()));
                longest = longest.max(search.hops());
            }
        }
    }
    assert_eq!(
        (worlds, found, longest),
        (176_868, 20_952, 3),
        "searches, those that find, forwards"
    );
}
