//! Batches on several machines: workers, servers and jobs that come to an end in every way, on a PostgreSQL that the tests
//! start themselves. The table is always that of the store in a file.
#![cfg(all(unix, feature = "postgres"))]

mod common;

use common::{end_of, folder, root, run, skip};
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const PASSWORD: &str = "not-for-everybody";

/// A server on loopback, in a folder of its own. It ends with the test.
struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// The user and group of the server, which does not run as root.
    user: Option<(u32, u32)>,
    process: Option<Child>,
}

impl Postgres {
    /// Nothing, which is told, where there is no PostgreSQL.
    fn start() -> Option<Postgres> {
        let Some(programs) = programs() else {
            skip("postgres", "there is no PostgreSQL here");
            return None;
        };
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("mazurka-postgres-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        fs::write(folder.join("password"), PASSWORD).expect("it can be written");
        let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        let user = is_root.then(|| user().expect("there is a user other than root"));
        if let Some((user, group)) = user {
            for path in [&folder, &folder.join("password")] {
                chown(path, Some(user), Some(group)).expect("root may do that");
            }
        }
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port is free").port();
        let mut server = Postgres { programs, folder, port, user, process: None };
        let data = server.folder.join("data");
        let mut init = server.command("initdb");
        init.args(["-U", "mazurka", "-A", "scram-sha-256", "-E", "UTF8", "--no-sync", "--pwfile"]);
        let made = init.arg(server.folder.join("password")).arg("-D").arg(data).output().expect("initdb runs");
        assert!(made.status.success(), "{}", text(&made.stderr));
        server.begin();
        Some(server)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    fn begin(&mut self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.folder.join("data")).args(["-p", &self.port.to_string()]);
        for setting in ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "shared_buffers=16MB"] {
            command.args(["-c", setting]);
        }
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the server starts");
        self.process = Some(process);
        let started = Instant::now();
        while self.try_client().is_none() {
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not answer");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the server: at once (`QUIT`), or as an accident would (`KILL`).
    fn end(&mut self, signal: &str) {
        if let Some(mut process) = self.process.take() {
            send(signal, process.id());
            process.wait().expect("it ends");
        }
    }

    fn address(&self) -> String {
        format!("postgres://mazurka@127.0.0.1:{}/postgres", self.port)
    }

    fn try_client(&self) -> Option<Client> {
        let mut config: Config = self.address().parse().expect("it is an address");
        config.password(PASSWORD).connect(NoTls).ok()
    }

    fn client(&self) -> Client {
        self.try_client().expect("the server answers")
    }

    /// What a question is answered with; 0 where there are no tables yet.
    fn number(&self, question: &str) -> i64 {
        match self.client().query_one(question, &[]) {
            Ok(row) => row.get(0),
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => 0,
            Err(error) => panic!("{question}: {error}"),
        }
    }

    /// Waits until a number is at least this.
    fn wait_for(&self, question: &str, least: i64) {
        let started = Instant::now();
        while self.number(question) < least {
            assert!(started.elapsed() < Duration::from_secs(60), "{question}: not {least}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.end("QUIT");
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folder with the programs of PostgreSQL.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().find(|folder| folder.join("postgres").is_file() && folder.join("initdb").is_file())
}

fn user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let of = |name: &str| {
        let fields: Vec<&str> = users.lines().find(|line| line.starts_with(&format!("{name}:")))?.split(':').collect();
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    of("postgres").or_else(|| of("nobody"))
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").arg(format!("-{signal}")).arg(process.to_string()).status();
    assert!(sent.expect("there is a kill").success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
    command.args(arguments).current_dir(folder).env("PGPASSWORD", PASSWORD).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    command(folder, arguments).spawn().expect("the command can be started")
}

fn finish(child: Child) -> Output {
    end_of(child, Duration::from_secs(300), "a run")
}

fn mazurka(folder: &Path, arguments: &[&str]) -> Output {
    finish(start(folder, arguments))
}

/// Ends a worker as Ctrl-C does. Returns how many jobs it did.
fn dismiss(worker: Child) -> usize {
    send("INT", worker.id());
    let output = finish(worker);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let last = told.lines().last().unwrap_or_default().to_owned();
    last.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{told}"))
}

/// A table but for times and memory.
fn table(output: &Output) -> String {
    let mut table: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
    for row in table["pairs"].as_array_mut().expect("there are rows") {
        row["seconds"] = 0.into();
        row["peak_bytes"] = 0.into();
    }
    serde_json::to_string_pretty(&table).expect("it can be written")
}

fn copy(from: &str, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(root().join(from)).expect("it can be listed") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path.display().to_string(), &target);
        } else {
            fs::copy(&path, target).expect("it can be copied");
        }
    }
}

/// A program that no check comes to the end of.
const ENDLESS: &str = "shared x = 0; thread a { while (true) { x = x + 1; } } thread b { assert(x >= 0); }";

#[test]
fn the_table_is_that_of_the_store_in_a_file() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-tables");
    copy("examples/smart-home", &folder.join("apps"));
    copy("examples/home-assistant/home", &folder.join("home"));
    copy("examples/include", &folder.join("programs/include"));
    copy("examples/threads", &folder.join("programs/threads"));
    copy("examples/android/two-results", &folder.join("android"));
    fs::create_dir(folder.join("broken")).expect("a folder can be made");
    for (name, contents) in [
        ("syntax.groovy", &b"definition(name: \"X\"\n x ^^ y"[..]),
        ("bytes.groovy", b"\xff\xfe"),
        ("nothing.groovy", b""),
    ] {
        fs::write(folder.join("broken").join(name), contents).expect("it can be written");
    }
    let apps = folder.join("apps").display().to_string();
    let address = server.address();
    let workers = ["1", "1"].map(|jobs| start(&folder, &["work", &address, "--jobs", jobs]));
    let mut done = 0;
    for arguments in [
        &["apps"][..],
        &["apps", "--of", "3"],
        &[&apps, "--home", "apps/home.toml", "--no-conflicts"],
        &["broken", "apps/fire-alarm.groovy"],
        &["./apps/../apps/fire-alarm.groovy", "apps/lock-when-away.groovy", "--never", "lock == \"open\""],
        &["home", "--time-limit", "20s"],
        &["programs", "android/trace.txt", "home", "--of", "1"],
    ] {
        let of =
            |store: &str| mazurka(&folder, &[&["pairs"], arguments, &["--format", "json", "--store", store]].concat());
        let (here, there) = (of("here.store"), of(&address));
        assert_eq!(table(&there), table(&here), "{arguments:?}");
        assert_eq!(there.status.code(), here.status.code(), "{arguments:?}");
        assert_eq!(text(&there.stderr), "", "{arguments:?}");
        let rows = table(&here).matches("\"apps\"").count();
        done += rows;
        // It is known now, and who only looks on sees the same.
        let watched =
            mazurka(&folder, &[&["pairs"], arguments, &["--format", "json", "--store", &address, "--watch"]].concat());
        assert_eq!(table(&watched), table(&there), "{arguments:?}");
    }
    assert_eq!(done, 78 + 286 + 78 + 6 + 1 + 5 + 26);
    assert!(workers.map(dismiss).into_iter().sum::<usize>() > 0, "others helped");
    // What is there twice is the same job: what cannot be read is none.
    assert_eq!(server.number("select count(*) from mazurka.jobs where result is null"), 0);
}

#[test]
fn pages_come_back_from_the_workers() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-pages");
    copy("examples/smart-home", &folder.join("apps"));
    let address = server.address();
    let apps =
        ["pairs", "apps/fire-alarm.groovy", "apps/lock-when-away.groovy", "--format", "json", "--store", &address];
    // Known, but without a page: it is checked again.
    assert_eq!(mazurka(&folder, &apps).status.code(), Some(1));
    assert_eq!(mazurka(&folder, &[&apps[..], &["--report", "pages"]].concat()).status.code(), Some(1));
    let index = fs::read_to_string(folder.join("pages/index.html")).expect("a page was written");
    let pages: Vec<_> = fs::read_dir(folder.join("pages/pairs")).expect("pages were written").flatten().collect();
    assert_eq!(pages.len(), 1);
    assert!(index.contains(&*pages[0].file_name().to_string_lossy()));
    let page = fs::read_to_string(pages[0].path()).expect("it can be read");
    assert!(page.contains("apps/fire-alarm.groovy") && !page.contains("job-files-"));
}

#[test]
fn what_a_killed_worker_had_is_free_at_once() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-killed");
    fs::write(folder.join("endless.mz"), ENDLESS).expect("it can be written");
    let address = server.address();
    let pairs = [
        "pairs",
        "endless.mz",
        "--of",
        "1",
        "--time-limit",
        "6s",
        "--format",
        "json",
        "--store",
        &address,
        "--jobs",
        "1",
    ];
    let mut first = start(&folder, &pairs);
    server.wait_for("select count(*) from mazurka.jobs where holder is not null and attempts = 1", 1);
    let other = start(&folder, &["work", &address, "--jobs", "1"]);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(server.number("select count(*) from mazurka.jobs where attempts = 1"), 1, "it is taken");
    first.kill().expect("it can be killed");
    let killed = Instant::now();
    server.wait_for("select count(*) from mazurka.jobs where attempts = 2", 1);
    // Mostly a fifth of a second, by the clock of a machine that does other things as well.
    assert!(killed.elapsed() < Duration::from_secs(5), "free after {:?}", killed.elapsed());
    first.wait().expect("it has ended");
    let again = mazurka(&folder, &pairs);
    assert_eq!(again.status.code(), Some(4));
    assert!(table(&again).contains("the time limit was reached"), "{}", table(&again));
    assert_eq!(dismiss(other), 1);
}

#[test]
fn a_worker_that_is_dismissed_gives_back_what_it_had() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-dismissed");
    fs::write(folder.join("endless.mz"), ENDLESS).expect("it can be written");
    let address = server.address();
    let planner = ["pairs", "endless.mz", "--of", "1", "--store", &address, "--jobs", "1"];
    let planned = start(&folder, &planner);
    server.wait_for("select count(*) from mazurka.jobs where attempts = 1", 1);
    send("INT", planned.id());
    let output = finish(planned);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("interrupted: 1 program left"), "{}", text(&output.stderr));
    assert_eq!(server.number("select count(*) from mazurka.jobs where holder is null and attempts = 0"), 1);
}

#[test]
fn a_machine_that_cannot_take_jobs_spoils_none() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-full");
    fs::write(folder.join("one.mz"), "shared x = 0; thread t { x = 1; assert(x == 1); }").expect("it can be written");
    let address = server.address();
    let pairs = ["pairs", "one.mz", "--of", "1", "--format", "json", "--store", &address];
    for there_is_none in ["none", "one.mz"] {
        let there_is_none = folder.join(there_is_none);
        let planned = command(&folder, &pairs).env("TMPDIR", &there_is_none).spawn().expect("it starts");
        let output = finish(planned);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("no job can be started here: "), "{}", text(&output.stderr));
        let free = "select count(*) from mazurka.jobs where holder is null and attempts = 0 and result is null";
        assert_eq!(server.number(free), 1);
    }
    assert_eq!(mazurka(&folder, &pairs).status.code(), Some(0));
}

#[test]
fn a_killed_server_loses_nothing() {
    let Some(mut server) = Postgres::start() else { return };
    let folder = folder("cluster-server");
    copy("examples/smart-home", &folder.join("apps"));
    let here = mazurka(&folder, &["pairs", "apps", "--format", "json"]);
    let address = server.address();
    let run = start(&folder, &["pairs", "apps", "--format", "json", "--store", &address, "--jobs", "1"]);
    let worker = start(&folder, &["work", &address, "--jobs", "1"]);
    for least in [5, 30] {
        server.wait_for("select count(*) from mazurka.jobs where result is not null", least);
        server.end("KILL");
        thread::sleep(Duration::from_millis(300));
        server.begin();
    }
    let there = finish(run);
    assert_eq!(table(&there), table(&here), "{}", text(&there.stderr));
    assert_eq!(there.status.code(), here.status.code());
    let told = text(&there.stderr);
    assert!(told.contains("; waiting for the server\n") && told.contains("the server is back\n"), "{told}");
    assert_eq!(server.number("select count(*) from mazurka.jobs where result is not null"), 78);
    dismiss(worker);
}

#[test]
fn a_job_that_ends_three_workers_is_given_up_and_the_rest_goes_on() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-poison");
    for (name, program) in [
        ("endless", ENDLESS),
        ("one", "shared x = 0; thread t { x = 1; assert(x == 1); }"),
        ("two", "shared x = 0; thread t { x = 2; assert(x == 2); }"),
    ] {
        fs::write(folder.join(format!("{name}.mz")), program).expect("it can be written");
    }
    let address = server.address();
    let pairs = ["pairs", ".", "--of", "1", "--time-limit", "1m", "--format", "json", "--store", &address];
    let run = start(&folder, &[&pairs[..], &["--jobs", "1"]].concat());
    server.wait_for("select count(*) from mazurka.jobs", 2);
    let poison = "select count(*) from mazurka.jobs where arguments like 'job-files-0/endless.mz%' and attempts >= ";
    let mut victim = run;
    for attempt in 1..=3 {
        server.wait_for(&format!("{poison} {attempt}"), 1);
        victim.kill().expect("it can be killed");
        victim.wait().expect("it has ended");
        if attempt < 3 {
            victim = start(&folder, &["work", &address, "--jobs", "1"]);
        }
    }
    let worker = start(&folder, &["work", &address, "--jobs", "1", "--until-done"]);
    assert_eq!(finish(worker).status.code(), Some(0));
    let looked = mazurka(&folder, &[&pairs[..], &["--watch"]].concat());
    let table = table(&looked);
    assert!(table.contains("\"reason\": \"its check ended 3 workers\""), "{table}");
    let of = |verdict: &str| table.matches(&format!("\"verdict\": \"{verdict}\"")).count();
    assert_eq!((of("failed"), of("verified")), (1, 2), "{table}");
    assert_eq!(server.number("select count(*) from mazurka.jobs where result is null"), 0);
}

#[test]
fn two_runs_share_their_results() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-shared");
    copy("examples/smart-home", &folder.join("one"));
    copy("examples/smart-home", &folder.join("two"));
    let address = server.address();
    let of = |apps: &str| start(&folder, &["pairs", apps, "--format", "json", "--store", &address, "--jobs", "1"]);
    let runs = [of("one"), of("two")].map(finish);
    assert_eq!(table(&runs[0]), table(&runs[1]));
    assert_eq!(server.number("select sum(attempts) from mazurka.jobs"), 78, "no pair was checked twice");
    let known = mazurka(&folder, &["pairs", "one", "--format", "csv", "--store", &address]);
    assert!(
        text(&known.stderr).starts_with("78 pairs known from postgres://mazurka@127.0.0.1"),
        "{}",
        text(&known.stderr)
    );
    // Afresh, if that is wanted.
    assert_eq!(mazurka(&folder, &["pairs", "one", "--fresh", "--store", &address]).status.code(), Some(1));
    assert_eq!(server.number("select sum(attempts) from mazurka.jobs"), 78);
}

#[test]
fn who_may_not_join_is_told_why() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-refused");
    copy("examples/smart-home", &folder.join("apps"));
    let address = server.address();
    let refused = |output: &Output, why: &str| {
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(why) && !told.contains(PASSWORD), "{told}");
    };
    let with_password = address.replace("mazurka@", &format!("mazurka:{PASSWORD}@"));
    for arguments in [&["work", &with_password][..], &["pairs", "apps", "--store", &with_password]] {
        refused(&mazurka(&folder, arguments), "an address with a password can be read by all users");
    }
    refused(&run(&folder, &["work", &address]), "password");
    let wrong = command(&folder, &["work", &address]).env("PGPASSWORD", "wrong").spawn().expect("it starts");
    refused(&finish(wrong), "the password is taken from PGPASSWORD");
    refused(&mazurka(&folder, &["work", "postgres://mazurka@127.0.0.1:1/x"]), "expected a PostgreSQL database");
    refused(&mazurka(&folder, &["work", "postgres://127.0.0.1:x"]), "expected an address such as");
    refused(&mazurka(&folder, &["pairs", "apps", "--watch"]), "--watch: there are no others at work");
    let watch = ["pairs", "apps", "--store", &address, "--watch"];
    refused(&mazurka(&folder, &watch), "this was not begun");
    refused(&mazurka(&folder, &["work", &format!("{address}?sslmode=require")]), "is not encrypted");
    server
        .client()
        .execute("update mazurka.meta set version = 'mazurka jobs 9, 7.0.0'", &[])
        .expect("it can be changed");
    for arguments in [&["work", &address][..], &["pairs", "apps", "--store", &address], &watch] {
        refused(
            &mazurka(&folder, arguments),
            "a store of another version: mazurka jobs 9, 7.0.0; this is mazurka jobs 1,",
        );
    }
}

/// The first block of a page that begins so.
fn block<'p>(page: &'p str, kind: &str, beginning: &str) -> &'p str {
    let fence = format!("```{kind}\n");
    let mut blocks = page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.starts_with(beginning)).unwrap_or_else(|| panic!("no block {beginning}"))
}

#[test]
fn the_example_of_the_manual_works() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-manual");
    copy("examples/smart-home", &folder.join("apps"));
    let page = fs::read_to_string(root().join("docs/large.md")).expect("the page is there");
    let script = block(&page, "sh", "export STORE=");
    let script = script.replace("postgres://mazurka@127.0.0.1/mazurka", &server.address());
    let program = Path::new(env!("CARGO_BIN_EXE_mazurka")).parent().expect("it is in a folder");
    let path = std::env::join_paths(
        [program.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut sh = Command::new("sh");
    sh.args(["-c", &script]).current_dir(&folder).env("PATH", path.expect("it is a path")).env("PGPASSWORD", PASSWORD);
    sh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = finish(sh.spawn().expect("there is a shell"));
    let told = text(&output.stderr);
    assert_eq!(text(&output.stdout), block(&page, "text", "286 triples"), "{told}");
    assert!(told.contains("286 triples known from postgres://"), "{told}");
    let helped: usize =
        told.lines().filter_map(|line| line.strip_suffix(" done")?.split(' ').next()?.parse::<usize>().ok()).sum();
    assert!(helped > 0, "{told}");
    let table = fs::read_to_string(folder.join("table.csv")).expect("there is a table");
    assert_eq!(table.lines().count(), 287);
    assert!(table.starts_with("first,second,third,verdict,"));
    let verdicts = block(&page, "sql", "select result").trim_end().trim_end_matches(';');
    assert_eq!(server.client().query(verdicts, &[]).expect("it can be asked").len(), 2);
}

/// Anyone who can write to the database can put a job there. It reads no file of a worker, writes none, and starts nothing.
#[test]
fn a_hostile_job_reaches_nothing() {
    let Some(server) = Postgres::start() else { return };
    let folder = folder("cluster-hostile");
    let secret = folder.join("secret.mz");
    fs::write(&secret, "shared sesame = 0; thread t { sesame = 1; assert(sesame == 2); }").expect("it can be written");
    let secret = secret.display().to_string();
    let address = server.address();
    // Makes the tables.
    assert_eq!(mazurka(&folder, &["work", &address, "--until-done"]).status.code(), Some(0));
    let mut client = server.client();
    let limits = "--time-limit=5000ms\u{1f}--memory-limit=1000000000B";
    let mut put = |number: u8, place: &str, contents: &str, arguments: &str| {
        let (places, contents) = (vec![place.to_owned()], vec![contents.as_bytes().to_vec()]);
        let bundle = mazurka_load::FilesByPlace::from([(place.to_owned(), contents[0].clone())]);
        let hash = mazurka_load::fingerprint_of(&bundle).0.to_be_bytes().to_vec();
        let files = "insert into mazurka.files values ($1, $2, $3) on conflict do nothing";
        client.execute(files, &[&hash, &places, &contents]).expect("it can be put there");
        let job = "insert into mazurka.jobs(key, files, arguments, wants_page) values ($1, $2, $3, true)";
        let key = vec![number; 16];
        client.execute(job, &[&key, &hash, &format!("{arguments}\u{1f}{limits}")]).expect("it can be put there");
    };
    let up = "../".repeat(20);
    put(1, "a.mz", &format!("include \"{secret}\"; thread u {{ assert(sesame == 0); }}"), "job-files-0/a.mz");
    put(2, "a.mz", &format!("include \"{up}{secret}\"; thread u {{ }}"), "job-files-0/a.mz");
    put(3, "a.mz", "thread t { }", &secret);
    put(4, "a.mz", "thread t { }", &format!("job-files-0/../..{up}{secret}"));
    put(
        5,
        "a.mz",
        "shared x = 0; thread t { x = 1; assert(x == 0); }",
        "job-files-0/a.mz\u{1f}--report=/tmp/mazurka-hostile",
    );
    put(6, &format!("{up}tmp/mazurka-hostile"), "x", "job-files-0/a.mz");
    put(7, "/tmp/mazurka-hostile", "x", "job-files-0/a.mz");
    put(8, "a.c", &format!("#include \"{secret}\"\nint main(void) {{ return 0; }}"), "job-files-0/a.c");
    put(9, "a.groovy", "#include secret.library\n", "job-files-0/a.groovy");
    put(10, "configuration.yaml", &format!("automation: !include {up}{secret}\n"), "job-files-0");
    put(
        11,
        "a.groovy",
        "definition(name: \"A\")\ndef installed() { new File('/tmp/mazurka-hostile').write('x') }",
        "job-files-0/a.groovy",
    );
    put(12, "a.txt", "x", &format!("job-files-0/a.txt\u{1f}--dependence={secret}"));
    let worked =
        command(&folder, &["work", &address, "--until-done"]).env("HOSTILE", "sesame").spawn().expect("it starts");
    assert_eq!(finish(worked).status.code(), Some(0));
    let rows =
        client.query("select result::text, coalesce(page, ''), key from mazurka.jobs", &[]).expect("it can be asked");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let (result, page, key): (String, Vec<u8>, Vec<u8>) = (row.get(0), row.get(1), row.get(2));
        assert!(!result.contains("\"verdict\":\"verified\""), "{}: {result}", key[0]);
        // The sentence names the file that was asked for, and nothing of what is in it.
        let told = result.replace(&secret, "");
        assert!(!told.contains("sesame == 2") && !text(&page).contains("sesame == 2"), "{}: {result}", key[0]);
    }
    assert!(!Path::new("/tmp/mazurka-hostile").exists());
    let left = fs::read_dir(&folder).expect("it can be listed").count();
    assert_eq!(left, 1, "nothing was written");
}
