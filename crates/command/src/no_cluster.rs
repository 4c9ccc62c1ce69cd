//! What stands in the place of batches on several machines where this was built without PostgreSQL.

use crate::arguments::{Pairs, Work};
use crate::console::Console;
use crate::plan::Plan;
use anyhow::{Result, bail};
use mazurka::Cancel;
use mazurka::report::pairs::PairRow;

pub(crate) fn check_all(_: &Plan, _: &Pairs, _: &Console, _: &Cancel) -> Result<Vec<Option<PairRow>>> {
    bail!("{}", MISSING)
}

pub(crate) fn work(_: &Work, _: &Console) -> Result<u8> {
    bail!("{}", MISSING)
}

const MISSING: &str =
    "error: this mazurka was built without PostgreSQL\nexpected one that was built with the feature `postgres`";
