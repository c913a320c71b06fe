//! The samples of a run and its update counts, as CSV.

use std::io::{self, Write};

pub use tresse_draw::history::{History, HistorySample};

/// Writes one row a sample.
pub fn write_csv(history: &History, w: impl Write) -> io::Result<()> {
    super::table::write_records(&history.samples, w)
}

/// Writes the update counts: `seconds`, then one column a subdomain, `s` and its id.
pub fn write_braid_csv(history: &History, w: impl Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(w);
    table.write_field("seconds")?;
    for id in &history.subdomains {
        table.write_field(format!("s{id}"))?;
    }
    table.write_record(None::<&[u8]>)?;
    for (sample, counts) in history.samples.iter().zip(&history.counts) {
        table.serialize((sample.seconds, counts))?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        let sample = HistorySample {
            seconds: 0.1,
            iteration_rate: 1.0 / 3.0,
            mean: 1.5,
            ..HistorySample::default()
        };
        let later =
            HistorySample { seconds: 0.2, residual: Some(1e-300), spread: u64::MAX, ..sample };
        History {
            samples: vec![sample, later],
            counts: vec![vec![1, 2], vec![3, u64::MAX]],
            subdomains: vec![0, 9],
            first_workers: vec![0, 1],
        }
    }

    #[test]
    fn samples_read_back_equal() {
        let mut bytes = Vec::new();
        write_csv(&history(), &mut bytes).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header =
            "seconds,residual,residual_at,iteration_rate,spread,least,most,mean,moves,rounds";
        assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>().join(","), header);
        let samples: Vec<HistorySample> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(samples, history().samples);
    }

    #[test]
    fn counts_have_a_column_a_subdomain() {
        let mut bytes = Vec::new();
        write_braid_csv(&history(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, format!("seconds,s0,s9\n0.1,1,2\n0.2,3,{}\n", u64::MAX));
    }

    #[test]
    fn counts_that_do_not_fit_their_header_are_an_error() {
        let mut history = history();
        history.counts[1].pop();
        assert!(write_braid_csv(&history, Vec::new()).is_err());
    }
}
