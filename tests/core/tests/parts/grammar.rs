//! The grammar of balancers and of uneven work: what is printed reads back.

use proptest::prelude::*;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, CHAOS_PERIOD, Imbalance, NodeBalance, NodeRule};

#[test]
fn times_have_units() {
    let nanoseconds = |text| Duration::parse(text).map(|time| time.0);
    for (text, expected) in [
        ("7ns", 7),
        ("200us", 200_000),
        ("200µs", 200_000),
        ("1.5ms", 1_500_000),
        ("0.5s", 500_000_000),
        ("0.001", 1_000_000),
        ("10min", 600_000_000_000),
        ("1.5h", 5_400_000_000_000),
        ("5124095h", 18_446_742_000_000_000_000),
    ] {
        assert_eq!(nanoseconds(text), Ok(expected), "{text}");
    }
    for text in ["", "min", "h", "1m", "1d", "-1s", "5124096h", "1e3s", "1 s"] {
        assert_eq!(nanoseconds(text), Err(Duration::EXPECTED), "{text}");
    }
}

proptest! {
    #[test]
    fn balancers_read_back(period in 1..=u64::MAX, rounds in 1..=u32::MAX) {
        let period = Duration(period);
        for balance in [
            Balance::Joint(period),
            Balance::Split(period),
            Balance::Hybrid(period, rounds),
            Balance::Swap(period),
            Balance::Gradient(period),
            Balance::Grapevine(period),
            Balance::Borrow(period, rounds.into()),
        ] {
            prop_assert_eq!(Balance::parse(&balance.to_string()), Ok(balance));
            prop_assert_eq!(balance.period(), Some(period));
            let measures = matches!(balance, Balance::Grapevine(_));
            prop_assert_eq!(balance.measures_sweeps(), measures);
        }
        let pull = Balance::Pull(period.0);
        prop_assert_eq!(Balance::parse(&pull.to_string()), Ok(pull));
        prop_assert_eq!(pull.period(), None);
        prop_assert_eq!(Balance::parse(&Balance::Auto.to_string()), Ok(Balance::Auto));
    }

    #[test]
    fn balancers_between_nodes_read_back(period in 1..=u64::MAX, threshold in any::<u64>()) {
        let balance = NodeBalance::Dplb { period: Duration(period), threshold };
        prop_assert_eq!(NodeBalance::parse(&balance.to_string()), Ok(balance));
        prop_assert_eq!(balance.period(), Some(Duration(period)));
        let chaos = NodeBalance::Chaos { seed: threshold };
        prop_assert_eq!(NodeBalance::parse(&chaos.to_string()), Ok(chaos));
    }

    #[test]
    fn imbalances_read_back(millionths in 0_u32..1_000_000) {
        let imbalance = Imbalance { millionths };
        prop_assert_eq!(Imbalance::parse(&imbalance.to_string()), Ok(imbalance));
    }

    #[test]
    fn no_text_breaks_the_grammar(text in "(none|dplb:|chaos:)?[0-9.,smu]{0,12}") {
        if let Ok(balance) = NodeBalance::parse(&text) {
            prop_assert_eq!(NodeBalance::parse(&balance.to_string()), Ok(balance));
        }
        if let Ok(imbalance) = Imbalance::parse(&text) {
            prop_assert_eq!(Imbalance::parse(&imbalance.to_string()), Ok(imbalance));
        }
    }
}

#[test]
fn words_read_back() {
    assert_eq!(NodeBalance::parse("none"), Ok(NodeBalance::None));
    assert_eq!(NodeBalance::None.to_string(), "none");
    assert_eq!(NodeBalance::None.period(), None);
    for rule in [NodeRule::Settled, NodeRule::Published] {
        assert_eq!(NodeRule::parse(&rule.to_string()), Ok(rule));
    }
    let half_second = NodeBalance::Dplb { period: Duration(500_000_000), threshold: 10 };
    assert_eq!(NodeBalance::parse("dplb:0.5,10"), Ok(half_second));
    assert_eq!(half_second.to_string(), "dplb:0.5,10");
    let chaos = NodeBalance::Chaos { seed: 7 };
    assert_eq!(NodeBalance::parse("chaos:7"), Ok(chaos));
    assert_eq!((chaos.to_string().as_str(), chaos.period()), ("chaos:7", Some(CHAOS_PERIOD)));
    assert_eq!(Imbalance::parse(".25").map(|imbalance| imbalance.millionths), Ok(250_000));
    assert_eq!(Imbalance { millionths: 250_000 }.to_string(), "0.25");
    assert_eq!(Imbalance::default().to_string(), "0");
}

#[test]
fn what_is_no_choice_is_refused() {
    for text in [
        "",
        "dplb",
        "dplb:",
        "dplb:0.5",
        "dplb:0.5,",
        "dplb:,10",
        "dplb:0,10",
        "dplb:0.5,-1",
        "dplb:0.5,1.5",
        "dplb:0.5,10,3",
        "dplb:0.5;10",
        "DPLB:0.5,10",
        "none:1",
        "rows:1",
        "Rows",
        "chaos",
        "chaos:",
        "chaos:-1",
        "chaos:1.5",
        "chaos:1,2",
        "Chaos:1",
        " none",
    ] {
        assert_eq!(NodeBalance::parse(text), Err(NodeBalance::EXPECTED), "{text}");
    }
    for text in ["", "settle", "Published", "settled "] {
        assert_eq!(NodeRule::parse(text), Err(NodeRule::EXPECTED), "{text}");
    }
    for text in ["", "1", "1.0", "-0.1", "0.0000001", "25%", "1e-1", "0..1", "18446744073709551616"]
    {
        assert_eq!(Imbalance::parse(text), Err(Imbalance::EXPECTED), "{text}");
    }
}
