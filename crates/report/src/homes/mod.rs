//! Tables over apps of smart homes and over pairs of them, and the findings that are accepted.

pub mod accept;
pub mod apps;
pub mod automations;
pub mod matrix;
pub mod pairs;
