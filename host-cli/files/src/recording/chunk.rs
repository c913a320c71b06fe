//! The events of a track as bytes.
//!
//! Numbers are of variable length, and differences to the event before where these are small. A
//! chunk begins with its time of start in 8 bytes, so that it can be read without those before.
//!
//! ```text
//! sweep   tag: 1 | halos present << 1 | gap << 5 | other subdomain << 6 | other version << 7
//!         [gap] duration [subdomain] [version] lag of each halo
//! other   tag: 0 | kind << 1 | gap << 5
//!         [gap] [duration] and what the kind needs
//! ```
//!
//! The gap is the time since the end of the event before; times are in nanoseconds. A subdomain or
//! version is *other* if it is not, in turn, the next one and the same as of the sweep before. The
//! lag is the version that was swept minus that of the halo. Parts with another number of links
//! than four have no bits for them in the tag: each link has a number, 0 where it leads nowhere,
//! otherwise the lag in zigzag form plus 1.

#[cfg(test)]
mod tests;

use integer_encoding::VarInt;
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::parts::ownership::Move;

use super::event::{Activity, Event, Swept, What};

/// Returns the upper limit of the number of bytes of an event of parts with this number of links.
pub const fn event_most(links: usize) -> usize {
    1 + (4 + links) * 10
}
/// Number of bytes before the events.
pub const START: usize = size_of::<u64>();

/// The latest time that is accepted (292 years), so that sums of times cannot overflow.
const LATEST: u64 = i64::MAX.unsigned_abs();

/// The links of a subdomain of a grid.
const SIDES: usize = 4;

const SWEEP: u8 = 1;
const GAP: u8 = 1 << 5;
const OTHER_SUBDOMAIN: u8 = 1 << 6;
const OTHER_VERSION: u8 = 1 << 7;

const MOVED: u8 = 0;
const TOOK: u8 = 1;
const BURST: u8 = 2;
const ROUND: u8 = 3;
const DETECTION: u8 = 4;
const VERIFICATION: u8 = 5;
const BARRIER: u8 = 6;
const GATE: u8 = 7;
const HAND_OVER: u8 = 8;

/// State of the encoding: the values that the next event is relative to.
#[derive(Clone, Copy, Debug)]
pub struct Coder {
    now: u64,
    subdomain: u32,
    version: u64,
}

impl Coder {
    /// Returns the state before the first event of a chunk that starts at `now`.
    pub const fn new(now: u64) -> Self {
        // The next one is 0.
        Self { now, subdomain: u32::MAX, version: 0 }
    }

    /// Returns the end of the previous event.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Adds an event of at most [`event_most`] bytes.
    #[inline]
    pub fn encode<const N: usize>(&mut self, event: &Event<N>, out: &mut Vec<u8>) {
        let gap = event.start.0.saturating_sub(self.now);
        let duration = event.end.0.saturating_sub(event.start.0);
        self.now = event.end.0;
        let timed = if gap > 0 { GAP } else { 0 };
        match event.what {
            What::Sweep(swept) => self.encode_sweep(&swept, (timed, gap, duration), out),
            other => encode_other(other, (timed, gap, duration), out),
        }
    }

    /// Encodes a sweep as its differences from the one before. `gap` and `duration` are in
    /// nanoseconds, and `timed` is the tag's bit for a gap.
    #[inline]
    fn encode_sweep<const N: usize>(
        &mut self,
        swept: &Swept<N>,
        (timed, gap, duration): (u8, u64, u64),
        out: &mut Vec<u8>,
    ) {
        let place = out.len();
        let mut tag = SWEEP | timed;
        out.push(tag);
        if gap > 0 {
            put(gap, out);
        }
        put(duration, out);
        let next = self.subdomain.wrapping_add(1);
        if swept.subdomain.0 != next {
            tag |= OTHER_SUBDOMAIN;
            put_signed(i64::from(swept.subdomain.0) - i64::from(next), out);
        }
        if swept.version != self.version {
            tag |= OTHER_VERSION;
            put_signed(swept.version.wrapping_sub(self.version).cast_signed(), out);
        }
        for (link, halo) in swept.halos.iter().enumerate() {
            let lag = halo.map(|halo| (swept.version - 1).wrapping_sub(halo).cast_signed());
            match lag {
                Some(lag) if N == SIDES => {
                    tag |= 1 << (link + 1);
                    put_signed(lag, out);
                }
                None if N == SIDES => {}
                lag => put(lag.map_or(0, |lag| 1 + zigzag(lag)), out),
            }
        }
        (self.subdomain, self.version) = (swept.subdomain.0, swept.version);
        out[place] = tag;
    }

    /// Takes the next event off `bytes`; returns `None` where the bytes are not an event.
    pub fn decode<const N: usize>(&mut self, bytes: &mut &[u8]) -> Option<Event<N>> {
        let tag = take_byte(bytes)?;
        let gap = if tag & GAP > 0 { take(bytes)? } else { 0 };
        let kind = (tag >> 1) & 0xf;
        let is_sweep = tag & SWEEP > 0;
        if !is_sweep && tag & (OTHER_SUBDOMAIN | OTHER_VERSION) > 0 {
            return None;
        }
        let lasts = is_sweep || !matches!(kind, MOVED | TOOK);
        let duration = if lasts { take(bytes)? } else { 0 };
        let start = self.now.checked_add(gap)?;
        let end = start.checked_add(duration).filter(|&end| end <= LATEST)?;
        let what = if is_sweep {
            What::Sweep(self.decode_sweep(tag, bytes)?)
        } else {
            decode_other(kind, bytes)?
        };
        self.now = end;
        Some(Event { start: Instant(start), end: Instant(end), what })
    }

    /// Decodes a sweep after its tag and times; `None` where the bytes are no sweep.
    fn decode_sweep<const N: usize>(&mut self, tag: u8, bytes: &mut &[u8]) -> Option<Swept<N>> {
        let mut subdomain = self.subdomain.wrapping_add(1);
        if tag & OTHER_SUBDOMAIN > 0 {
            let difference = take_signed(bytes)?;
            subdomain = i64::from(subdomain).checked_add(difference)?.try_into().ok()?;
        }
        let mut version = self.version;
        if tag & OTHER_VERSION > 0 {
            version = version.checked_add_signed(take_signed(bytes)?)?;
        }
        let own = version.checked_sub(1)?;
        let mut halos = [None; N];
        for (link, halo) in halos.iter_mut().enumerate() {
            let lag = if N != SIDES {
                take(bytes)?.checked_sub(1).map(unzigzag)
            } else if tag & 1 << (link + 1) > 0 {
                Some(take_signed(bytes)?)
            } else {
                None
            };
            if let Some(lag) = lag {
                *halo = Some(own.checked_add_signed(lag.checked_neg()?)?);
            }
        }
        (self.subdomain, self.version) = (subdomain, version);
        Some(Swept { subdomain: SubdomainId(subdomain), version, halos })
    }
}

/// Encodes an event that is no sweep, its gap and duration in nanoseconds.
fn encode_other<const N: usize>(
    what: What<N>,
    (timed, gap, duration): (u8, u64, u64),
    out: &mut Vec<u8>,
) {
    let mut head = |kind: u8, lasts: bool| {
        out.push(kind << 1 | timed);
        if gap > 0 {
            put(gap, out);
        }
        if lasts {
            put(duration, out);
        }
    };
    match what {
        // Encoded elsewhere, as it is by far the most frequent one.
        What::Sweep(_) => {}
        What::Moved(Move { subdomain, from, to }) => {
            head(MOVED, false);
            for id in [subdomain.0, from.0, to.0] {
                put(u64::from(id), out);
            }
        }
        What::Took(subdomain) => {
            head(TOOK, false);
            put(u64::from(subdomain.0), out);
        }
        What::Burst => head(BURST, true),
        What::Did(Activity::Round { moves }) => {
            head(ROUND, true);
            put(u64::from(moves), out);
        }
        What::Did(Activity::Detection) => head(DETECTION, true),
        What::Did(Activity::Verification) => head(VERIFICATION, true),
        What::Did(Activity::Barrier) => head(BARRIER, true),
        What::Did(Activity::Gate) => head(GATE, true),
        What::Did(Activity::HandOver) => head(HAND_OVER, true),
    }
}

/// Decodes an event that is no sweep after its tag and times; `None` where there is none.
fn decode_other<const N: usize>(kind: u8, bytes: &mut &[u8]) -> Option<What<N>> {
    Some(match kind {
        MOVED => What::Moved(Move {
            subdomain: SubdomainId(take_small(bytes)?),
            from: WorkerId(take_small(bytes)?),
            to: WorkerId(take_small(bytes)?),
        }),
        TOOK => What::Took(SubdomainId(take_small(bytes)?)),
        BURST => What::Burst,
        ROUND => What::Did(Activity::Round { moves: take_small(bytes)? }),
        DETECTION => What::Did(Activity::Detection),
        VERIFICATION => What::Did(Activity::Verification),
        BARRIER => What::Did(Activity::Barrier),
        GATE => What::Did(Activity::Gate),
        HAND_OVER => What::Did(Activity::HandOver),
        _ => return None,
    })
}

/// Appends a number in as many bytes as it needs, seven bits in each.
#[inline]
fn put(value: u64, out: &mut Vec<u8>) {
    let mut bytes = [0; 10];
    let length = value.encode_var(&mut bytes);
    out.extend_from_slice(&bytes[..length]);
}

/// Appends a signed number in zigzag form, so that small ones need one byte.
#[inline]
fn put_signed(value: i64, out: &mut Vec<u8>) {
    let mut bytes = [0; 10];
    let length = value.encode_var(&mut bytes);
    out.extend_from_slice(&bytes[..length]);
}

/// Returns a signed number such that small ones, of either sign, are small.
const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Takes the first byte, if there is one.
fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

/// Takes an unsigned number; `None` where the bytes are none.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    take_var(bytes)
}

/// Takes a signed number; `None` where the bytes are none.
fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    take_var(bytes)
}

/// Takes a number of at most 32 bits; `None` where there is none.
fn take_small(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes)?.try_into().ok()
}

/// Takes a number of variable length, as `put` and `put_signed` write it.
fn take_var<T: VarInt>(bytes: &mut &[u8]) -> Option<T> {
    let (value, length) = T::decode_var(bytes)?;
    *bytes = bytes.get(length..)?;
    Some(value)
}
