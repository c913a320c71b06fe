//! The state of a view as keys and values, for its form, its address, and the command line.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// Separator of the values of a key that may have several.
pub const SEPARATOR: char = ';';

/// Characters that are escaped in an address; those that stand for themselves stay readable.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'<')
    .add(b'>')
    .add(b'`');

/// The keys and values of a view. Keys are flags of `tresse simulate` where it has them; no value
/// is empty, and each key occurs once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parses `key=value&key=value`. Text that is no such pair is left out; the last value of a
    /// repeated key counts.
    pub fn parse(text: &str) -> Self {
        let mut parameters = Self::default();
        for (key, value) in text.split('&').filter_map(|pair| pair.split_once('=')) {
            let plain = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
            parameters.set(&plain(key), &plain(value));
        }
        parameters
    }

    /// Returns the parameters that the text of a form begins with: values of its fields, and the
    /// chosen options of its choices, or else the first ones. Only text written by this package can
    /// be read.
    pub fn of_form(text: &str) -> Self {
        let attribute = |tag: &str, name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let mut parameters = Self::default();
        for tag in
            text.split('<').filter(|tag| tag.starts_with("input ") || tag.starts_with("select "))
        {
            let (Some(key), value) = (attribute(tag, "name"), attribute(tag, "value")) else {
                continue;
            };
            let choices = text.split_once(tag).and_then(|(_, rest)| rest.split_once("</select>"));
            let chosen = choices.filter(|_| tag.starts_with("select ")).and_then(|(choices, _)| {
                let options: Vec<&str> =
                    choices.split('<').filter(|tag| tag.starts_with("option")).collect();
                let chosen = options.iter().find(|tag| tag.contains(" selected"));
                let chosen = chosen.or(options.first())?;
                let text = chosen.split_once('>').map(|(_, text)| text.to_owned());
                attribute(chosen, "value").or(text)
            });
            parameters.set(&key, &chosen.or(value).unwrap_or_default());
        }
        parameters
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a key that may have several.
    pub fn all<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let value = self.get(key).unwrap_or_default();
        value.split([SEPARATOR, ' ', '\n']).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Sets a key; an empty value removes it.
    pub fn set(&mut self, key: &str, value: &str) {
        let value = value.trim();
        match self.0.iter().position(|(name, _)| name == key) {
            Some(place) if value.is_empty() => {
                self.0.remove(place);
            }
            Some(place) => {
                if let Some((_, old)) = self.0.get_mut(place) {
                    value.clone_into(old);
                }
            }
            None if value.is_empty() => {}
            None => self.0.push((key.into(), value.into())),
        }
    }

    /// Returns keys and values in order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Parses a key's value; returns `None` where there is none. An error is a sentence.
    pub fn read<T, E: fmt::Display>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, String> {
        self.get(key).map(|value| read_one(key, value, &parse)).transpose()
    }

    /// Parses the values of a key that may have several.
    pub fn read_all<T, E: fmt::Display>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, String> {
        self.all(key).map(|value| read_one(key, value, &parse)).collect()
    }
}

/// Parses the value of a key; the error is a sentence with both.
fn read_one<T, E: fmt::Display>(
    key: &str,
    value: &str,
    parse: &impl Fn(&str) -> Result<T, E>,
) -> Result<T, String> {
    let name = key.replace('-', " ");
    parse(value).map_err(|error| format!("{name} cannot be “{value}”: {error}."))
}

/// Writes the parameters as an address has them, which [`Parameters::parse`] reads.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (key, value)) in self.0.iter().enumerate() {
            let and = if place == 0 { "" } else { "&" };
            let [key, value] = [key, value].map(|text| utf8_percent_encode(text, ESCAPED));
            write!(f, "{and}{key}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_and_stays_readable() {
        let mut parameters = Parameters::default();
        parameters.set("machine", "cirrus");
        parameters.set("noise", "core=2,duty=0.19;any-node=0..3,duty=0.1");
        parameters.set("title", "100 % & more + ü#");
        let text = parameters.to_string();
        assert!(text.starts_with("machine=cirrus&noise=core=2,duty=0.19;any-node=0..3,duty=0.1&"));
        assert_eq!(Parameters::parse(&text), parameters);
        assert_eq!(parameters.all("noise").count(), 2);
        parameters.set("noise", " ");
        assert_eq!(parameters.get("noise"), None);
    }

    #[test]
    fn nonsense_is_left_out() {
        for text in ["", "&&", "=", "a", "%", "a=%ff%", "a=b=c&a=d", "#?&=&=="] {
            let parameters = Parameters::parse(text);
            assert_eq!(Parameters::parse(&parameters.to_string()), parameters, "{text}");
        }
        assert_eq!(Parameters::parse("a=b=c&a=d").get("a"), Some("d"));
    }
}
