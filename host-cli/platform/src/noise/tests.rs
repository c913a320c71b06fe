use std::time::Duration;

use tresse_core::base::id::NodeId;
use tresse_core::run::noise::Noise;

use super::parasite::{Duty, Next};
use super::*;
use crate::{Platform, PlatformError};

fn first_core() -> u32 {
    Platform::detect().unwrap().cores[0].id
}

fn started(noise: &[&str]) -> NoiseThreads {
    let core = first_core();
    let sources: Vec<_> = noise.iter().map(|text| (Noise::parse(text).unwrap(), core)).collect();
    NoiseThreads::start(&sources, 1, NodeId(0)).unwrap()
}

#[test]
fn every_source_works_and_reports_in_order() {
    let noise = [
        "core=0,sleep=0s,work=1000",
        "core=0,duty=0.5",
        "core=0,sleep=1us,work=1",
        "core=0,burst=50us,gap=50us",
    ];
    // Beside other work, a source may not get its core for some time.
    let all_worked = |wait: &Duration| {
        let running = started(&noise);
        std::thread::sleep(*wait);
        let reports = running.stop().unwrap();
        reports.iter().all(|report| report.share > 0.0).then_some(reports)
    };
    let waits = (0..).map(|doublings| Duration::from_millis(20 << doublings));
    let reports = waits.take(12).find_map(|wait| all_worked(&wait)).unwrap();
    let sources: Vec<_> = reports.iter().map(|report| report.source.to_string()).collect();
    assert_eq!(sources, noise.map(|text| Noise::parse(text).unwrap().to_string()));
    for report in reports {
        assert_eq!(report.core, first_core());
        assert!(report.share > 0.0 && report.share <= 1.0, "{report:?}");
    }
}

#[test]
fn long_sleeps_and_long_bursts_end_when_asked() {
    let running = started(&[
        "core=0,sleep=1000000s,work=1",
        "core=0,sleep=0s,work=18446744073709551615",
        "core=0,burst=1ns,gap=18446744073.709551615s",
        "core=0,burst=18446744073.709551615s,gap=1ns",
    ]);
    assert_eq!(running.stop().unwrap().len(), 4);
    drop(started(&["core=0,sleep=18446744073.709551615s,work=1"]));
}

#[test]
fn a_core_that_is_not_there_is_named() {
    let noise = Noise::parse("core=0,duty=0.5").unwrap();
    let error =
        NoiseThreads::start(&[(noise, first_core()), (noise, 999_999)], 1, NodeId(0)).unwrap_err();
    assert!(matches!(error, NoiseError::Machine(PlatformError::Pin(999_999))), "{error}");
    let error = measure_slowdown(&noise, 999_999, Duration::from_millis(1)).unwrap_err();
    assert!(error.to_string().contains("core 999999"), "{error}");
}

#[test]
fn a_duty_owes_its_share_of_all_time_so_far() {
    let duty = Duty { millionths: 400_000 };
    let us = Duration::from_micros;
    assert_eq!(duty.next(us(0), us(399)), Next::Work);
    assert_eq!(duty.next(us(399), us(400)), Next::SleepUntil(us(1000)));
    assert_eq!(duty.next(us(1000), us(400)), Next::Work);
    // Kept from working for nine periods, it makes up for them.
    assert_eq!(duty.next(us(9500), us(3999)), Next::Work);
    assert_eq!(duty.next(us(9500), us(4000)), Next::SleepUntil(us(10_000)));
    // Nothing overflows in a run of centuries.
    assert_eq!(duty.next(Duration::MAX, us(0)), Next::Work);
}

#[test]
fn a_measurement_counts_work_in_both_kinds_of_window() {
    let noise = Noise::parse("core=0,duty=0.5").unwrap();
    let measured = measure_slowdown(&noise, first_core(), Duration::from_millis(5)).unwrap();
    assert!(measured.quiet_rate > 0.0 && measured.noisy_rate > 0.0, "{measured:?}");
}
