//! Runs an engine on a C program.
use mazurka_c::{Identity, Model, Options, Program, clang::Clang};
use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, explore};
fn main() {
    let mut args = std::env::args().skip(1);
    let engine = Engine::by_name(&args.next().unwrap()).unwrap();
    let file = args.next().unwrap();
    let rest: Vec<String> = args.collect();
    let text = if file.ends_with(".ll") {
        std::fs::read_to_string(&file).unwrap()
    } else {
        match Clang::find().unwrap().translate(&file, &rest) {
            Ok(t) => t,
            Err(e) => {
                println!("{e}");
                return;
            }
        }
    };
    let mut program =
        match Program::from_ir(&[(file.clone(), text)], &Options { nondet: Some((0, 1)), ..Options::default() }) {
            Ok(p) => p,
            Err(e) => {
                println!("{e}");
                return;
            }
        };
    for f in program.source_files() {
        if let Ok(t) = std::fs::read_to_string(&f) {
            program.add_source(&f, &t)
        }
    }
    let model =
        Model::new(program.into(), if engine.present_identity() { Identity::Presence } else { Identity::History });
    let t = std::time::Instant::now();
    let x = explore(
        engine,
        &model,
        &mazurka_engines::Options { all: std::env::var("ALL").is_ok(), threads: 1, ..Default::default() },
        &mut Silent,
    );
    let s = &x.statistics;
    println!(
        "{engine} {:?} executions {:?} traces? states {:?} transitions {:?} {:.3}s",
        x.verdict,
        s.get(Counter::Executions),
        s.get(Counter::States),
        s.get(Counter::Transitions),
        t.elapsed().as_secs_f64()
    );
    for v in &x.violations {
        println!(
            "  {:?} {} at {:?} values {:?}",
            v.violation.kind, v.violation.message, v.violation.location, v.violation.values
        )
    }
}
