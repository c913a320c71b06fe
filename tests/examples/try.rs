use std::ops::ControlFlow;
use tresse::balancing::*;
use tresse_core::balance::grapevine::fork::Serial;
use tresse_core::balance::grapevine::*;
use tresse_core::balance::objects::*;
use tresse_core::id::ProcessorId;
use tresse_core::rng::Rng;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let get = |k: &str, d: &str| {
        a.iter().position(|x| x == k).map(|i| a[i + 1].clone()).unwrap_or(d.into())
    };
    let o: usize = get("-o", "10000").parse().unwrap();
    let p: u32 = get("-p", "4096").parse().unwrap();
    let on: u32 = get("-on", "16").parse().unwrap();
    let seeds: u64 = get("-n", "3").parse().unwrap();
    let mut c = if get("-m", "s") == "s" { Config::SLIDES } else { Config::DISTRIBUTED };
    match get("-c", "").as_str() {
        "6" => c.criterion = Criterion::Original,
        "60" => c.criterion = Criterion::Relaxed,
        _ => {}
    }
    match get("-view", "").as_str() {
        "g" => c.view = View::Gossiped,
        "l" => c.view = View::Live,
        _ => {}
    }
    match get("-cmf", "").as_str() {
        "o" => c.cmf = Cmf::Original,
        "m" => c.cmf = Cmf::NormByMax,
        _ => {}
    }
    match get("-up", "").as_str() {
        "o" => c.cmf_update = CmfUpdate::Once,
        "a" => c.cmf_update = CmfUpdate::AfterAcceptance,
        _ => {}
    }
    match get("-pass", "").as_str() {
        "s" => c.pass = Pass::Single,
        "r" => c.pass = Pass::Restart,
        _ => {}
    }
    match get("-ord", "").as_str() {
        "arb" => c.order = Order::Arbitrary,
        "asc" => c.order = Order::Ascending,
        "desc" => c.order = Order::Descending,
        "fm" => c.order = Order::FewestMigrations,
        "so" => c.order = Order::SmallObjects,
        _ => {}
    }
    let int = |k: &str, v: &mut u32| {
        if let Some(i) = a.iter().position(|x| x == k) {
            *v = a[i + 1].parse().unwrap()
        }
    };
    int("-f", &mut c.fanout);
    int("-k", &mut c.rounds);
    int("-i", &mut c.iterations);
    int("-a", &mut c.attempts);
    int("-idle", &mut c.idle);
    if let Some(i) = a.iter().position(|x| x == "-K") {
        c.known = if a[i + 1] == "all" { None } else { Some(a[i + 1].parse().unwrap()) }
    }
    if get("-x", "") == "0" {
        c.exchange = false
    }
    if get("-r", "") == "0" {
        c.refuse = false
    }
    if let Some(i) = a.iter().position(|x| x == "-T") {
        c.threshold = Threshold::Times(Millionths(a[i + 1].parse().unwrap()))
    }
    if let Some(i) = a.iter().position(|x| x == "-fall") {
        c.threshold = Threshold::Falling(a[i + 1].parse().unwrap())
    }
    if c.view == View::Gossiped {
        c.sender_load = SenderLoad::Current
    }
    let par = get("-par", "0") == "1";
    let verbose = get("-v", "0") == "1";
    for seed in 0..seeds {
        let mut rng = Rng::new(seed, 99);
        let mut chosen = vec![];
        while chosen.len() < on as usize {
            let x = rng.below(p);
            if !chosen.contains(&x) {
                chosen.push(x)
            }
        }
        let loads: Vec<u64> =
            (0..o).map(|_| 10_000_000 + rng.up_to(100_000_000_000 - 10_000_000)).collect();
        let mut owners: Vec<ProcessorId> =
            (0..o).map(|_| ProcessorId(chosen[rng.below(on) as usize])).collect();
        let objects = Objects::new(&loads, &[]).unwrap();
        c.seed = seed;
        let t0 = std::time::Instant::now();
        let mut mem = GrapevineMemory::new(&c, o, p as usize);
        let problem = Problem {
            config: &c,
            objects: &objects,
            processors: p,
            bounds: None,
            names: Names::NUMBERS,
        };
        let avg = Average { total: objects.total(), processors: p };
        let mut its = vec![];
        let t1 = std::time::Instant::now();
        let mut last = t1;
        let mut w = |i: &Iteration| {
            if verbose {
                eprintln!("{} {:.2?}", i.number, last.elapsed());
                last = std::time::Instant::now();
            }
            its.push(*i);
            ControlFlow::Continue(())
        };
        let out = if par {
            run(&problem, &mut owners, &mut mem.lend(), &Rayon, &mut w)
        } else {
            run(&problem, &mut owners, &mut mem.lend(), &Serial, &mut w)
        }
        .unwrap();
        if get("-d", "0") == "1" {
            let mut sums = vec![0u64; p as usize];
            objects.add_up(&owners, &mut sums);
            let m = *sums.iter().max().unwrap();
            let w = sums.iter().position(|x| *x == m).unwrap();
            let mine: Vec<u64> =
                (0..o).filter(|i| owners[*i].0 as usize == w).map(|i| loads[i]).collect();
            println!("worst {w} load {m} avg {} objs {mine:?}", avg.total / 4096);
            let mut sorted = sums.clone();
            sorted.sort_unstable();
            println!("{:?} {:?}", &sorted[..10], &sorted[sorted.len() - 30..]);
            let under: usize = sums.iter().filter(|x| **x < avg.total / 4096).count();
            println!("under {under}");
        }
        let f = its[0].tally;
        let series: Vec<String> =
            its.iter().map(|i| format!("{:.4}", avg.imbalance(i.max))).collect();
        println!(
            "seed {seed} it1 tr {} rej {} ({:.2}%) refused {} I0 {:.1} final {:.4} [{}] alloc {:.2?} run {:.2?} msgs {} entries {}",
            f.transfers,
            f.rejected,
            100. * f.rejected as f64 / (f.rejected + f.transfers) as f64,
            f.refused,
            avg.imbalance(out.initial_max),
            avg.imbalance(out.final_max),
            series.join(" "),
            t1 - t0,
            t1.elapsed(),
            its.iter().map(|i| i.told.messages).sum::<u64>(),
            its.iter().map(|i| i.told.entries).sum::<u64>()
        );
    }
}
