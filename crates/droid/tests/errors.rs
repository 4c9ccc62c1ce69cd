//! What is wrong with a trace is said with its place and what was expected, whatever is wrong with it.

use mazurka_core::Random;
use mazurka_droid::{ReadError, read};

/// A whole trace: two threads, a queue, events, locks, a notification and a gate.
const WHOLE: &str = "1 START\n\
    2 THREADINIT tid:1\n\
    3 ATTACH-Q tid:1 queue:1\n\
    4 FORK par-tid:1 child-tid:2\n\
    5 LOOP tid:1 queue:1\n\
    6 THREADINIT tid:2\n\
    7 LOCK tid:2 lock-obj:0x1f\n\
    8 POST src:2 msg:1 dest:1\n\
    9 UNLOCK tid:2 lock-obj:0x1f\n\
    10 CALL tid:1 msg:1\n\
    11 WRITE tid:1 obj:0x2f class:La/B; field:3\n\
    12 WRITE-STATIC tid:1 class:La/B; field:3\n\
    13 NOTIFY tid:1 notifiedTid:2\n\
    14 RET tid:1 msg:1\n\
    15 WAIT tid:2\n\
    16 NOP tid:2\n\
    17 POST src:2 msg:2 dest:1\n\
    18 CALL tid:1 msg:2\n\
    19 READ tid:1 obj:0x2f class:La/B; field:3\n\
    20 RET tid:1 msg:2\n\
    21 THREADEXIT tid:2\n";

/// The line that an error marks, and its words.
fn error(trace: &str, dependence: &str) -> (String, String, String) {
    let (text, diagnostics) = match read("trace.txt", trace, Some(dependence)) {
        Ok(_) => panic!("no error in\n{trace}"),
        Err(ReadError::Trace(diagnostics)) => (trace, diagnostics),
        Err(ReadError::Dependence(diagnostics)) => (dependence, diagnostics),
    };
    let error = diagnostics.first().expect("an error says what is wrong");
    let line = text[..error.span.start].rfind('\n').map_or(0, |end| end + 1);
    let marked = text[line..].lines().next().unwrap_or_default().to_owned();
    (marked, error.message.clone(), error.label.clone())
}

/// The trace without a line, or with another one in its place.
fn with(number: usize, other: Option<&str>) -> String {
    let lines = WHOLE
        .lines()
        .enumerate()
        .filter_map(|(at, line)| if at + 1 == number { other.map(str::to_owned) } else { Some(line.to_owned()) });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn the_whole_trace_is_one() {
    read("trace.txt", WHOLE, Some("src:14 dest:16\n\n")).expect("a trace");
    read("trace.txt", WHOLE, None).expect("a trace");
}

#[test]
fn each_mistake_is_said_where_it_is() {
    let mistakes: &[(usize, Option<&str>, &str, &str)] = &[
        (4, None, "6 THREADINIT tid:2", "expected `FORK par-tid:… child-tid:2` before this line"),
        (6, None, "7 LOCK tid:2 lock-obj:0x1f", "expected `THREADINIT tid:2` before this line"),
        (2, None, "3 ATTACH-Q tid:1 queue:1", "expected `THREADINIT tid:1` before this line"),
        (3, None, "5 LOOP tid:1 queue:1", "expected `ATTACH-Q tid:1 queue:…` first"),
        (5, None, "10 CALL tid:1 msg:1", "expected `LOOP tid:1` before this line"),
        (7, None, "9 UNLOCK tid:2 lock-obj:0x1f", "expected `LOCK … lock-obj:0x1f` before it, in the same task"),
        (9, None, "7 LOCK tid:2 lock-obj:0x1f", "expected `UNLOCK … lock-obj:0x1f` up to line 20"),
        (8, None, "10 CALL tid:1 msg:1", "expected a POST to thread 1 before this line"),
        (10, None, "11 WRITE tid:1 obj:0x2f class:La/B; field:3", "expected `CALL tid:1 msg:…` first"),
        (13, None, "15 WAIT tid:2", "expected `NOTIFY … notifiedTid:2` before this line"),
        (14, None, "18 CALL tid:1 msg:2", "expected `RET tid:1 msg:1` first"),
        (20, None, "18 CALL tid:1 msg:2", "expected `RET tid:1 msg:2` after it"),
        (14, Some("14 RET tid:1 msg:2"), "14 RET tid:1 msg:2", "expected `RET tid:1 msg:1`"),
        (
            17,
            Some("17 POST src:2 msg:1 dest:1"),
            "17 POST src:2 msg:1 dest:1",
            "expected a message of its own for each post",
        ),
        (
            17,
            Some("17 POST src:2 msg:2 dest:2"),
            "17 POST src:2 msg:2 dest:2",
            "expected `ATTACH-Q tid:2 queue:…` before this line",
        ),
        (16, Some("16 THREADEXIT tid:2"), "17 POST src:2 msg:2 dest:1", "expected nothing more of it"),
        (
            13,
            Some("13 NOTIFY tid:1 notifiedTid:9"),
            "13 NOTIFY tid:1 notifiedTid:9",
            "expected `FORK par-tid:… child-tid:9` before this line",
        ),
        (
            12,
            Some("12 LOCK tid:1 lock-obj:0x9"),
            "12 LOCK tid:1 lock-obj:0x9",
            "expected `UNLOCK … lock-obj:0x9` up to line 14",
        ),
        (
            8,
            Some("8 LOCK tid:2 lock-obj:0x1f"),
            "8 LOCK tid:2 lock-obj:0x1f",
            "expected `UNLOCK … lock-obj:0x1f` before this line",
        ),
        (4, Some("4 FORK par-tid:1 child-tid:1"), "4 FORK par-tid:1 child-tid:1", "expected a new thread"),
        (12, Some("12 WRITE tid:1 obj:0x2f class:La/B;"), "12 WRITE tid:1 obj:0x2f class:La/B;", "expected `field:1`"),
    ];
    for &(number, other, marked, expected) in mistakes {
        let (line, _, label) = error(&with(number, other), "");
        assert_eq!((line.as_str(), label.as_str()), (marked, expected), "line {number}");
    }
    let (line, message, _) = error(&with(20, None), "");
    assert_eq!((line.as_str(), message.as_str()), ("18 CALL tid:1 msg:2", "the handler of message 2 never ends"));
}

#[test]
fn a_dependence_has_to_be_one_of_the_trace() {
    let mistakes = [
        ("src:14 dest:99", "the trace has no operation 99", "expected the number of an operation, at most 21"),
        ("src:1 dest:16", "the trace has no operation 1", "expected the number of an operation, at most 21"),
        (
            "src:16 dest:14",
            "operation 16 is not before operation 14 in the trace",
            "expected an order that the trace has itself",
        ),
        (
            "src:16 dest:16",
            "operation 16 is not before operation 16 in the trace",
            "expected an order that the trace has itself",
        ),
        ("src:14", "not a dependence", "expected a line such as `src:21 dest:27`"),
        ("dest:14 src:16", "not a dependence", "expected a line such as `src:21 dest:27`"),
        ("src:14 dest:16 more", "not a dependence", "expected a line such as `src:21 dest:27`"),
    ];
    for (line, message, label) in mistakes {
        let found = error(WHOLE, &format!("src:10 dest:16\n{line}\n"));
        assert_eq!(found, (line.to_owned(), message.to_owned(), label.to_owned()));
    }
}

/// Whatever is read: an error has a place within the text and says something, and a trace can be taken to its end.
fn read_anything(trace: &str, dependence: &str) {
    use mazurka_core::{Machine, Move, Stepper, System};
    match read("trace.txt", trace, Some(dependence)) {
        Err(ReadError::Trace(errors) | ReadError::Dependence(errors)) => {
            assert!(errors.iter().all(|error| !error.message.is_empty() && !error.label.is_empty()));
            assert!(errors.iter().all(|error| error.span.start <= error.span.end));
        }
        Ok(recording) => {
            let state = recording.initial_states().remove(0);
            let mut machine = Stepper::new(&recording, state);
            while let Some(&actor) = machine.enabled().first() {
                machine.step(Move::from(actor));
            }
            machine.ending();
        }
    }
}

#[test]
fn a_trace_cut_anywhere_or_with_a_byte_changed_is_read_or_refused() {
    for length in 0..WHOLE.len() {
        read_anything(&WHOLE[..length], "src:14 dest:16");
        read_anything(&WHOLE[length..], "src:14 dest:16");
    }
    for at in 0..WHOLE.len() {
        for byte in [b' ', b'\n', b'0', b'9', b':', b'-', b'x', 0, 0x7f] {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            read_anything(&String::from_utf8_lossy(&bytes), "src:14 dest:16");
        }
    }
    let dependence = "src:10 dest:16\nsrc:14 dest:16\n";
    for length in 0..dependence.len() {
        read_anything(WHOLE, &dependence[..length]);
    }
}

#[test]
fn lines_left_out_or_swapped_are_read_or_refused() {
    let lines: Vec<&str> = WHOLE.lines().collect();
    for left_out in 0..lines.len() {
        for other in 0..lines.len() {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out && *at != other);
            let text: String = kept.map(|(_, line)| format!("{line}\n")).collect();
            read_anything(&text, "");
            // The same two lines in each other's place, under each other's numbers.
            let mut swapped = lines.clone();
            swapped.swap(left_out, other);
            let renumbered = swapped.iter().enumerate().map(|(at, line)| {
                let rest = line.split_once(' ').map_or("", |(_, rest)| rest);
                format!("{} {rest}\n", at + 1)
            });
            read_anything(&renumbered.collect::<String>(), "");
        }
    }
}

#[test]
fn garbage_is_refused() {
    let mut random = Random::new(1);
    let mut next = || random.word() as u8;
    for _ in 0..200 {
        let bytes: Vec<u8> = std::iter::repeat_with(&mut next).take(300).collect();
        let text = String::from_utf8_lossy(&bytes);
        assert!(read("trace.txt", &text, None).is_err());
        read_anything(&format!("{}{text}", &WHOLE[..200]), &text);
    }
    let huge = "1 ".to_owned() + &"x".repeat(1 << 20);
    assert!(read("trace.txt", &huge, None).is_err());
}
