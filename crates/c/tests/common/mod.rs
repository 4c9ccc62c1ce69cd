//! What tests share that need a compiler.
#![allow(dead_code, unused_imports)]

#[path = "../../../load/tests/common/mod.rs"]
mod files;

pub(crate) use files::folder;
use mazurka_c::clang::Clang;

/// The compiler. Where there is none, the test is skipped.
pub(crate) fn clang() -> Option<Clang> {
    let found = Clang::find().ok();
    if found.is_none() {
        files::skip("clang", "there is no clang");
    }
    found
}
