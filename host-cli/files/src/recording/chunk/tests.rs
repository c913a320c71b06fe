//! Events as bytes and back.

use proptest::prelude::*;

use super::*;

fn what() -> impl Strategy<Value = What> {
    let number = || prop_oneof![0..300_u64, 0..1_u64 << 62];
    let id = || prop_oneof![0..10_u32, any::<u32>()];
    let halos = [(); 4].map(|()| proptest::option::of(number()));
    let swept = (id(), number(), halos).prop_map(|(subdomain, before, halos)| {
        What::Sweep(Swept { subdomain: SubdomainId(subdomain), version: before + 1, halos })
    });
    let moved = (id(), id(), id()).prop_map(|(subdomain, from, to)| {
        let (from, to) = (WorkerId(from), WorkerId(to));
        What::Moved(Move { subdomain: SubdomainId(subdomain), from, to })
    });
    let done = [
        What::Burst,
        What::Did(Activity::Detection),
        What::Did(Activity::Verification),
        What::Did(Activity::Barrier),
        What::Did(Activity::Gate),
        What::Did(Activity::HandOver),
    ];
    let took = id().prop_map(|id| What::Took(SubdomainId(id)));
    let round = id().prop_map(|moves| What::Did(Activity::Round { moves }));
    prop_oneof![5 => swept, 1 => moved, 1 => took, 1 => round, 1 => Just(done).prop_flat_map(
        |done| (0..done.len()).prop_map(move |place| done[place])
    )]
}

/// Events one after the other, some with gaps between them.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let time = || prop_oneof![Just(0_u64), 0..20_000_u64, 0..1_u64 << 50];
    let event = (time(), time(), what());
    proptest::collection::vec(event, 0..60).prop_map(|all| {
        let mut now = 0;
        let timed = |(gap, duration, what)| {
            let lasts = !matches!(what, What::Moved(_) | What::Took(_));
            let start = now + gap;
            now = start + if lasts { duration } else { 0 };
            Event { start: Instant(start), end: Instant(now), what }
        };
        all.into_iter().map(timed).collect()
    })
}

proptest! {
    #[test]
    fn events_come_back_as_they_were(events in events()) {
        let (mut bytes, mut coder) = (Vec::new(), Coder::new(0));
        for event in &events {
            let before = bytes.len();
            coder.encode(event, &mut bytes);
            prop_assert!(bytes.len() - before <= event_most(4));
        }
        let (mut rest, mut coder) = (bytes.as_slice(), Coder::new(0));
        for event in events {
            prop_assert_eq!(coder.decode(&mut rest), Some(event));
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (mut rest, mut coder) = (bytes.as_slice(), Coder::new(0));
        let mut now = Instant::ZERO;
        while let Some(event) = coder.decode::<4>(&mut rest) {
            prop_assert!(now <= event.start && event.start <= event.end);
            now = event.end;
        }
    }
}

#[test]
fn a_usual_sweep_takes_five_bytes() {
    let (mut bytes, mut coder) = (Vec::new(), Coder::new(0));
    for subdomain in 0..4 {
        let halos = [Some(41), Some(40), None, None];
        let swept = Swept { subdomain: SubdomainId(subdomain), version: 42, halos };
        let start = Instant(coder.now());
        let event = Event { start, end: Instant(start.0 + 4_000), what: What::Sweep(swept) };
        coder.encode(&event, &mut bytes);
    }
    assert_eq!(bytes.len(), 4 * 5 + 1, "the first one says its version");
}
