//! Smart homes: the Groovy dialect of SmartThings apps, devices, apps, environment, conflicts.
#![forbid(unsafe_code)]

pub mod groovy;
