//! A regression test made of a saved schedule: a shell script that fails if the violation is back.

use crate::ScheduleFile;
use crate::layout::{one_line, script_word};

/// What the second line of every such script begins with: what tells it from a file of the user's.
pub const MARK: &str = "# A regression test that mazurka wrote:";

/// The end of the schedule within the script; no line of a schedule looks like this.
const DELIMITER: &str = "END_OF_SCHEDULE";

/// A script that runs the schedule on the program as it is today, and then looks at all other orders: what went wrong
/// in one order may have moved to another.
pub fn script(file: &ScheduleFile) -> String {
    let program = file.programs.first().map_or("", String::as_str);
    let defines: String =
        file.defines.iter().map(|(name, value)| format!(" -D {}", script_word(&format!("{name}={value}")))).collect();
    let message = one_line(&file.message);
    format!(
        r#"#!/bin/sh
{MARK}
# {message}
#
# Passes (exit code 0) if no order of events breaks the program; fails with 1 if one does, with another code if that
# cannot be told. Run it where the program has the name below, or give the program's name as an argument. The
# variable MAZURKA can name the command.
set -u
mazurka=${{MAZURKA:-mazurka}}
program={program}
if [ $# -gt 0 ]; then program=$1; fi
schedule=$(mktemp) || exit 2
trap 'rm -f "$schedule"' EXIT
cat >"$schedule" <<'{DELIMITER}'
{file}{DELIMITER}

# The order that once failed, which takes no time. If the program has changed so much that it cannot be followed, that
# is neither good nor bad.
"$mazurka" replay "$schedule" --print --program "$program"
if [ $? -eq 1 ]; then
    echo "the violation is back, in the same order of events" >&2
    exit 1
fi

# All other orders.
"$mazurka" check "$program"{defines} --no-schedule
"#,
        program = script_word(program)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Threads;
    use mazurka_core::Fingerprint;

    #[test]
    fn a_script_holds_the_schedule_and_the_constants() {
        let threads = Threads::three();
        let defines = vec![("N".to_owned(), "3".to_owned())];
        let programs = vec!["it's three.mz".to_owned()];
        let found = threads.found(&[2, 2, 0, 0]);
        let file = ScheduleFile::record(&threads, &found, "exhaustive", programs, Fingerprint(7), defines);
        let script = script(&file);
        assert!(script.lines().nth(1).is_some_and(|line| line.starts_with(MARK)));
        assert!(script.contains(&format!("<<'{DELIMITER}'\n{file}{DELIMITER}\n")));
        assert!(script.contains("\nprogram='it'\\''s three.mz'\nif [ $# -gt 0 ]; then program=$1; fi\n"));
        assert!(script.contains("check \"$program\" -D N=3 --no-schedule\n"));
    }
}
