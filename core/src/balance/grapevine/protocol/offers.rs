//! The offers that a processor has made and received.

use heapless::Vec;

use super::store::Request;
use crate::balance::grapevine::transfer::receiver::{CANDIDATES_MAX, urgency};
use crate::base::id::ObjectId;
use crate::base::sort::insert_last;
use crate::base::table::Add;
use crate::base::table::At;

/// The offers that a processor has made and received, until they are settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negotiation {
    /// Offers that it made in this attempt.
    pub(super) made: u32,
    /// The offers that are not answered yet.
    pub(super) open: u32,
    /// Number of objects in the list, which may go for others.
    pub(super) listed: usize,
    /// Offers that it has to answer.
    pub(super) waiting: usize,
}

impl Negotiation {
    /// Queues an offer until it is answered, the most urgent first. Returns the least urgent one
    /// where the inbox is full: it is to be refused.
    pub(super) fn queue(&mut self, inbox: &mut [Request], request: Request) -> Option<Request> {
        let refused = match inbox.get_mut(self.waiting) {
            Some(place) => {
                *place = request;
                self.waiting += 1;
                None
            }
            None => match inbox.last_mut() {
                Some(last) if request.urgency() < last.urgency() => {
                    Some(core::mem::replace(last, request))
                }
                _ => Some(request),
            },
        };
        insert_last(inbox.stretch_mut(..self.waiting), Request::urgency);
        refused
    }
}

impl Request {
    /// Returns the places of the offered objects among the receiver's loads.
    pub(super) fn local(&self) -> Vec<ObjectId, CANDIDATES_MAX> {
        let mut local = Vec::new();
        for (place, _) in (self.place..).zip(&self.offer.objects) {
            local.add(ObjectId(place));
        }
        local
    }

    /// Returns the place behind the last of its objects.
    pub(super) fn end(&self) -> usize {
        (self.place as usize).saturating_add(self.offer.objects.len())
    }

    fn urgency(&self) -> impl Ord + use<> {
        urgency(self.offer.sender_load, self.from, self.offer.number)
    }
}
