//! Any bytes are read as LLVM IR or refused; what is a program begins, runs for a while, and ends in some way, by presence
//! as well as by history.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mazurka_c::{Identity, Model, Options, Program};
use mazurka_core::System;
use std::sync::Arc;

/// How many steps of each program are taken.
const STEPS: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let files = [("fuzz.ll".to_owned(), String::from_utf8_lossy(bytes).into_owned())];
    let options = Options { nondet: Some((0, 2)), ..Options::default() };
    let Ok(program) = Program::from_ir(&files, &options) else { return };
    let program = Arc::new(program);
    for identity in [Identity::History, Identity::Presence] {
        let model = Model::new(Arc::clone(&program), identity);
        model.run_once(STEPS);
        for state in model.initial_states() {
            model.ending(&state);
        }
    }
});
