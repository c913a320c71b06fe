//! Keeps JSON as its original text, with numbers to the digit and keys in their order.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Key<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// An object and nothing else: a derived reader would take a list for one as well.
pub(super) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        from.deserialize_map(Read(PhantomData)).map(Self)
    }
}

/// The keys of an object with the text of their values, in order.
pub(super) struct Borrowed<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Borrowed<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    fields.push((key, value));
                }
                Ok(fields)
            }
        }
        from.deserialize_map(Read).map(Self)
    }
}

/// Keys with the text of their values, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub Vec<(String, Box<RawValue>)>);

impl Fields {
    pub fn push(&mut self, key: impl Into<String>, value: &RawValue) {
        self.0.push((key.into(), compact(value)));
    }

    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// Sets the value of a key, or adds the key where it is missing.
    pub fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    pub fn remove_nulls(&mut self) {
        self.0.retain(|(_, value)| value.get() != "null");
    }

    /// Writes the keys into an object that is being written.
    pub fn serialize_into<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        let text = |(key, value): &(String, Box<RawValue>)| (key.clone(), value.get().to_owned());
        self.0.len() == other.0.len() && self.0.iter().map(text).eq(other.0.iter().map(text))
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        self.serialize_into(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Borrowed(fields) = Borrowed::deserialize(from)?;
        let mut owned = Self::default();
        for (key, value) in fields {
            owned.push(key, value);
        }
        Ok(owned)
    }
}

/// Returns the JSON text of a value, which must be one that can be written.
pub(super) fn written(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}

/// Returns an object with other values for some of its keys; a text that is no object stays
/// unchanged.
pub(super) fn replaced(object: &RawValue, values: &[(&str, Box<RawValue>)]) -> Box<RawValue> {
    let Ok(mut fields) = serde_json::from_str::<Fields>(object.get()) else {
        return object.to_owned();
    };
    for (key, value) in values {
        fields.set(key, value.clone());
    }
    written(&fields)
}

/// Returns a value's text without the space around its parts.
pub(super) fn compact(value: &RawValue) -> Box<RawValue> {
    let text = value.get();
    if !text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return value.to_owned();
    }
    let (mut inside, mut escaped) = (false, false);
    let kept = text.chars().filter(|&c| {
        let keep = inside || !c.is_ascii_whitespace();
        if escaped {
            escaped = false;
        } else if c == '"' {
            inside = !inside;
        } else {
            escaped = inside && c == '\\';
        }
        keep
    });
    RawValue::from_string(kept.collect()).unwrap_or_else(|_| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_goes_but_not_in_strings() {
        let text = "{ \"a b\\\" \": [1.50,\n 2 ],\t\"c\\\\\" : \" \\\\\" }";
        let value: Box<RawValue> = serde_json::from_str(text).unwrap();
        assert_eq!(compact(&value).get(), "{\"a b\\\" \":[1.50,2],\"c\\\\\":\" \\\\\"}");
    }

    #[test]
    fn a_value_is_replaced_in_its_place_and_the_rest_stays_to_the_digit() {
        let value: Box<RawValue> =
            serde_json::from_str(r#"{"x":1.10,"node":3,"y":18446744073709551616}"#).unwrap();
        let replaced = replaced(&value, &[("node", written(&7))]);
        assert_eq!(replaced.get(), r#"{"x":1.10,"node":7,"y":18446744073709551616}"#);
    }

    #[test]
    fn a_list_is_no_object() {
        assert!(serde_json::from_str::<Object<(u32, u32)>>("[1,2]").is_err());
        assert!(serde_json::from_str::<Fields>("[1,2]").is_err());
    }
}
