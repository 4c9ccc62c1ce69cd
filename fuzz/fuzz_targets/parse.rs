//! Any bytes are read or refused, never a panic; what is read is printed, and the print reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mazurka_lang::{compile, parse, print};

fuzz_target!(|bytes: &[u8]| {
    let source = String::from_utf8_lossy(bytes);
    if let Ok(unit) = parse(&source) {
        let printed = print(&unit);
        match parse(&printed) {
            Ok(again) => assert_eq!(print(&again), printed),
            // Parentheses count as nesting: what was nearly too deep may be too deep in print.
            Err(error) => assert_eq!(error.message, "nested too deeply", "{printed}"),
        }
    }
    let _ = compile("fuzz.mz", &source, &[]);
});
