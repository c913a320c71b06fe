//! Transfers: what one processor decides about its objects. An overloaded one gives some away at
//! its turn ([`sender`]), in an [`order`], to others that it draws by their chances ([`cmf`]),
//! while the [`criterion`] admits it; the [`receiver`] of an offer may refuse it or take something
//! else instead.

pub mod cmf;
pub mod criterion;
pub mod offering;
pub mod order;
pub mod receiver;
pub mod sender;
