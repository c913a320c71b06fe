//! Numbers of 64 bits as digits: few programs read such numbers from JSON to the last bit.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the number as 16 hexadecimal digits.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{number:016x}"))
}

/// Reads hexadecimal digits.
pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
    let digits = String::deserialize(from)?;
    u64::from_str_radix(&digits, 16).map_err(D::Error::custom)
}

/// Numbers that may be missing.
pub(super) mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Digits(#[serde(with = "super")] u64);

    /// Writes the number as digits, if there is one.
    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(in super::super) fn serialize<S: Serializer>(
        number: &Option<u64>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        number.map(Digits).serialize(to)
    }

    /// Reads the digits of a number, if there are any.
    pub(in super::super) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Option<u64>, D::Error> {
        Ok(Option::<Digits>::deserialize(from)?.map(|Digits(number)| number))
    }
}
