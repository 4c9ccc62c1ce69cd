//! The database: jobs, the files that they need, and their results.
//!
//! A job that is taken belongs to a *session*, which is a lock in the database that goes away with the connection. So what a
//! worker had taken is free again when its process ends, without clocks, leases or heartbeats; and when the server is ended,
//! no session survives. A connection that is lost is made again, for as long as it takes.

use super::VERSION;
use super::job::Job;
use crate::console::Console;
use anyhow::{Result, anyhow, bail};
use mazurka::Cancel;
use mazurka::report::format::count;
use mazurka::report::terminal;
use mazurka_load::{FilesByPlace as Files, fingerprint_of};
use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, Error, NoTls, Row, Statement};
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The locks of sessions are told from those of other programs by this number.
const LOCKS: i32 = i32::from_be_bytes(*b"mazu");
/// A job that has ended this many workers is given up.
pub(super) const MOST_ATTEMPTS: i32 = 3;
/// How long a server that has started waits for the workers that had taken jobs before.
const RETURN: &str = "interval '5 seconds'";
/// How many rows are sent at once.
const BLOCK: usize = 5_000;
/// How long a dead network may look like a slow one.
const SILENCE: Duration = Duration::from_secs(30);
/// The pauses between attempts to get the connection back.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];

const TABLES: &str = "
    create schema if not exists mazurka;
    create table if not exists mazurka.meta(version text not null);
    create table if not exists mazurka.files(hash bytea primary key, places text[] not null, contents bytea[] not null);
    create table if not exists mazurka.jobs(
        key bytea primary key, files bytea not null, arguments text not null, wants_page boolean not null,
        attempts integer not null default 0, holder integer, server timestamptz, result json, page bytea, finished timestamptz);
    create index if not exists open_jobs on mazurka.jobs(key) where result is null;
    create table if not exists mazurka.runs(run bytea, key bytea, primary key (run, key));
    create sequence if not exists mazurka.sessions as integer cycle;";

/// The sessions that are there, as `alive`.
const ALIVE: &str = "alive as materialized (
    select objid::bigint::integer as session from pg_locks
    where locktype = 'advisory' and classid::bigint = 1835104885 and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database()))";

/// Whether a job `j` can be taken. Those whose sessions ended with the server are left for a while: their workers come back.
fn free() -> String {
    format!(
        "j.result is null and (j.holder is null or not exists (select from alive where alive.session = j.holder)
         and (j.server = pg_postmaster_start_time() or pg_postmaster_start_time() < clock_timestamp() - {RETURN}))"
    )
}

/// A database with jobs.
pub(super) struct Server<'a> {
    config: Config,
    /// Where it is told that the server has gone away.
    console: &'a Console,
    /// The address as it is shown.
    pub(super) address: String,
    cancel: Cancel,
    session: Mutex<Session>,
    /// What was fetched already.
    files: Mutex<HashMap<u128, Arc<Files>>>,
}

/// A connection, and what it was asked before: the same question is not sent twice.
struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

type Parameters<'p> = &'p [&'p (dyn ToSql + Sync)];

impl Connection {
    fn statement(&mut self, question: &str) -> std::result::Result<Statement, Error> {
        if let Some(statement) = self.statements.get(question) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(question)?;
        self.statements.insert(question.to_owned(), statement.clone());
        Ok(statement)
    }

    fn query(&mut self, question: &str, parameters: Parameters<'_>) -> std::result::Result<Vec<Row>, Error> {
        let statement = self.statement(question)?;
        self.client.query(&statement, parameters)
    }

    fn query_one(&mut self, question: &str, parameters: Parameters<'_>) -> std::result::Result<Row, Error> {
        let statement = self.statement(question)?;
        self.client.query_one(&statement, parameters)
    }

    fn execute(&mut self, change: &str, parameters: Parameters<'_>) -> std::result::Result<u64, Error> {
        let statement = self.statement(change)?;
        self.client.execute(&statement, parameters)
    }
}

#[derive(Default)]
struct Session {
    connection: Option<Connection>,
    number: i32,
    /// The jobs that run here now.
    running: HashSet<u128>,
}

/// How many jobs of a run there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) planned: usize,
    pub(super) finished: usize,
    pub(super) violated: usize,
}

/// A result: the row of a table as it is kept, and the page about what was found.
pub(super) struct Outcome {
    pub(super) key: u128,
    pub(super) row: String,
    pub(super) page: Option<Vec<u8>>,
}

fn bytes(key: u128) -> Vec<u8> {
    key.to_be_bytes().to_vec()
}

fn key(bytes: &[u8]) -> Result<u128> {
    Ok(u128::from_be_bytes(bytes.try_into().map_err(|_| anyhow!("a key in the store has {} bytes", bytes.len()))?))
}

impl<'a> Server<'a> {
    /// Connects to a database, and makes the tables if there are none.
    pub(super) fn connect(address: &str, console: &'a Console, cancel: &Cancel) -> Result<Self> {
        let shown = without_password(address);
        let expected = "expected an address such as postgres://user@host/database";
        let mut config =
            Config::from_str(address).map_err(|error| anyhow!("error: {shown}: {}\n{expected}", words(&error)))?;
        if config.get_password().is_some() {
            bail!(
                "error: {shown}: an address with a password can be read by all users of this machine\n\
                 expected the password in the environment variable PGPASSWORD"
            );
        }
        if config.get_ssl_mode() == SslMode::Require {
            bail!(
                "error: {shown}: the connection is not encrypted, and sslmode=require asks for it\n\
                 expected a network of your own, or a tunnel, and an address without it"
            );
        }
        if let Ok(password) = std::env::var("PGPASSWORD") {
            config.password(password);
        }
        config.application_name("mazurka").keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5)).keepalives_retries(3);
        config.tcp_user_timeout(SILENCE).connect_timeout(Duration::from_secs(10));
        let server = Server {
            config,
            console,
            address: shown,
            cancel: cancel.clone(),
            session: Mutex::default(),
            files: Mutex::default(),
        };
        let mut session = server.session.lock().unwrap_or_else(PoisonError::into_inner);
        server.begin_session(&mut session).map_err(|failure| match failure {
            Failure::Database(error) => {
                let hint = match error.code() {
                    Some(code) if code.code().starts_with("28") => {
                        "expected a user that may connect; the password is taken from PGPASSWORD"
                    }
                    _ => "expected a PostgreSQL database that can be reached",
                };
                anyhow!("error: {}: {}\n{hint}", server.address, words(&error))
            }
            Failure::Version(found) => server.other_version(&found),
        })?;
        drop(session);
        Ok(server)
    }

    fn other_version(&self, found: &str) -> anyhow::Error {
        anyhow!(
            "error: {}: a store of another version: {found}; this is {VERSION}\n\
             expected the same version of mazurka on all machines, or another database",
            self.address,
            found = terminal::name(found)
        )
    }

    /// Connects, and takes a number that no other session has. What ran here before belongs to the new session.
    fn begin_session(&self, session: &mut Session) -> std::result::Result<(), Failure> {
        let mut client = self.config.connect(NoTls)?;
        // What is lost with the server is what must not survive it: who has taken which job.
        client.batch_execute(
            "set synchronous_commit to off; set client_min_messages to warning;
             set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 3",
        )?;
        let exists = client.query_one("select to_regclass('mazurka.sessions') is not null", &[])?;
        if !exists.get::<_, bool>(0) {
            let mut transaction = client.transaction()?;
            transaction.execute("select pg_advisory_xact_lock($1, 0)", &[&LOCKS])?;
            transaction.batch_execute(TABLES)?;
            let insert = "insert into mazurka.meta select $1 where not exists (select from mazurka.meta)";
            transaction.execute(insert, &[&VERSION])?;
            transaction.commit()?;
        }
        let version: String = client.query_one("select version from mazurka.meta", &[])?.get(0);
        if version != VERSION {
            return Err(Failure::Version(version));
        }
        let number: i32 = loop {
            let take = "select number::integer, pg_try_advisory_lock($1, number::integer)
                from nextval('mazurka.sessions') as number";
            let row = client.query_one(take, &[&LOCKS])?;
            if row.get(1) {
                break row.get(0);
            }
        };
        if session.number != 0 {
            let keep = "update mazurka.jobs set holder = $1, server = pg_postmaster_start_time()
                where holder = $2 and result is null";
            client.execute(keep, &[&number, &session.number])?;
            // Another one took what runs here: this worker was not ended by it.
            let running: Vec<Vec<u8>> = session.running.iter().map(|key| bytes(*key)).collect();
            let survived = "update mazurka.jobs set attempts = greatest(attempts - 1, 0)
                where key = any($1) and result is null and holder is distinct from $2";
            client.execute(survived, &[&running, &number])?;
        }
        session.connection = Some(Connection { client, statements: HashMap::new() });
        session.number = number;
        Ok(())
    }

    /// Asks the database something; if it is not there, again when it is.
    fn ask<T>(&self, question: impl Fn(&mut Connection, i32) -> std::result::Result<T, Error>) -> Result<T> {
        self.ask_and(question, |_, _| ())
    }

    /// The same, and notes something of the answer in the session.
    fn ask_and<T>(
        &self,
        question: impl Fn(&mut Connection, i32) -> std::result::Result<T, Error>,
        note: impl FnOnce(&T, &mut Session),
    ) -> Result<T> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pause, mut is_waiting) = (PAUSES[0], false);
        loop {
            let number = session.number;
            let asked = match &mut session.connection {
                Some(connection) => question(connection, number)
                    .map_err(|error| (is_lost(&error) || connection.client.is_closed(), error)),
                None => match self.begin_session(&mut session) {
                    Ok(()) => continue,
                    Err(Failure::Version(found)) => return Err(self.other_version(&found)),
                    Err(Failure::Database(error)) => Err((true, error)),
                },
            };
            match asked {
                Ok(answer) => {
                    if is_waiting {
                        self.console.error(&format!("{}: the server is back", self.address));
                    }
                    note(&answer, &mut session);
                    return Ok(answer);
                }
                Err((true, error)) => {
                    session.connection = None;
                    if !is_waiting {
                        let why = words(&error);
                        self.console.error(&format!("{}: {why}; waiting for the server", self.address));
                    }
                    is_waiting = true;
                }
                Err((false, error)) => return Err(anyhow!("error: {}: {}", self.address, words(&error))),
            }
            let until = Instant::now() + pause;
            while Instant::now() < until {
                if self.cancel.is_cancelled() {
                    bail!("error: {}: the server has gone away", self.address);
                }
                thread::sleep(PAUSES[0].min(until.saturating_duration_since(Instant::now())));
            }
            pause = (pause * 2).min(PAUSES[1]);
        }
    }

    /// Puts the jobs of a run there, with the files that they need. Results that are there stay, but for those that are
    /// wanted afresh, with a page that is not there, or were none.
    pub(super) fn plan(
        &self,
        run: u128,
        mut jobs: impl Iterator<Item = Job>,
        files: &HashMap<u128, Arc<Files>>,
        fresh: bool,
    ) -> Result<()> {
        let hashes: Vec<Vec<u8>> = files.keys().map(|hash| bytes(*hash)).collect();
        let known = self.ask(|client, _| {
            let rows = client.query("select hash from mazurka.files where hash = any($1)", &[&hashes])?;
            Ok(rows.iter().map(|row| row.get(0)).collect::<HashSet<Vec<u8>>>())
        })?;
        for (hash, files) in files.iter().filter(|(hash, _)| !known.contains(&bytes(**hash))) {
            let (places, contents): (Vec<&str>, Vec<&[u8]>) =
                files.iter().map(|(place, contents)| (place.as_str(), contents.as_slice())).unzip();
            self.ask(|client, _| {
                let insert = "insert into mazurka.files values ($1, $2, $3) on conflict do nothing";
                durably(client, insert, &[&bytes(*hash), &places, &contents])
            })?;
        }
        loop {
            let mut block: Vec<Job> = jobs.by_ref().take(BLOCK).collect();
            if block.is_empty() {
                return Ok(());
            }
            // In one order, so that two runs that plan the same jobs never wait for each other in a circle.
            block.sort_by_key(|job| job.key);
            block.dedup_by_key(|job| job.key);
            let keys: Vec<Vec<u8>> = block.iter().map(|job| bytes(job.key)).collect();
            let files: Vec<Vec<u8>> =
                block.iter().map(|job| job.files.iter().flat_map(|file| bytes(*file)).collect()).collect();
            let arguments: Vec<String> = block.iter().map(Job::written).collect();
            let pages: Vec<bool> = block.iter().map(|job| job.wants_page).collect();
            self.ask(|client, _| {
                let insert = "with planned as (insert into mazurka.jobs(key, files, arguments, wants_page)
                        select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::boolean[])
                        on conflict (key) do update set wants_page = true where excluded.wants_page and not jobs.wants_page)
                    insert into mazurka.runs select $5, key from unnest($1::bytea[]) as key on conflict do nothing";
                durably(client, insert, &[&keys, &files, &arguments, &pages, &bytes(run)])
            })?;
            self.ask(|client, _| {
                let again = "update mazurka.jobs set result = null, page = null, finished = null, attempts = 0
                    where key = any($1) and result is not null and ($2 or result->>'verdict' = 'failed'
                    or wants_page and page is null and json_array_length(result->'violations') > 0)";
                durably(client, again, &[&keys, &fresh])
            })?;
        }
    }

    /// Takes jobs, of a run or of all. Those that have ended too many workers are given up: `failed` is their result.
    pub(super) fn claim(&self, most: usize, run: Option<u128>, failed: &str) -> Result<Vec<Job>> {
        let run = run.map(bytes);
        let of_run = "($1::bytea is null or exists (select from mazurka.runs r where r.run = $1 and r.key = j.key))";
        let take = format!(
            "with {ALIVE}, free as (select j.key from mazurka.jobs j
                where {} and j.attempts < {MOST_ATTEMPTS} and {of_run} order by j.key limit $2 for update skip locked)
             update mazurka.jobs set holder = $3, server = pg_postmaster_start_time() from free where jobs.key = free.key
             returning jobs.key, jobs.files, jobs.arguments, jobs.wants_page",
            free()
        );
        let give_up = format!(
            "with {ALIVE} update mazurka.jobs j set result = $1::text::json, finished = clock_timestamp()
             where {} and j.attempts >= {MOST_ATTEMPTS}",
            free()
        );
        let rows = self.ask(|client, session| {
            let rows = client.query(&take, &[&run, &(most as i64), &session])?;
            if rows.is_empty() {
                client.execute(&give_up, &[&failed])?;
            }
            Ok(rows)
        })?;
        let job = |row: &Row| {
            let files: &[u8] = row.get(1);
            Ok(Job {
                key: key(row.get(0))?,
                files: files.chunks(16).map(key).collect::<Result<_>>()?,
                arguments: Job::read_arguments(row.get(2)),
                wants_page: row.get(3),
            })
        };
        rows.iter().map(job).collect()
    }

    /// Fetches the files of some jobs that are not here yet.
    pub(super) fn fetch_files(&self, jobs: &[Job]) -> Result<()> {
        /// The most that are kept.
        const MOST: usize = 2_000;
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > MOST {
            known.clear();
        }
        let wanted: HashSet<u128> = jobs.iter().flat_map(|job| job.files.iter().copied()).collect();
        let missing: Vec<Vec<u8>> = wanted.into_iter().filter(|file| !known.contains_key(file)).map(bytes).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = self.ask(|client, _| {
            client.query("select hash, places, contents from mazurka.files where hash = any($1)", &[&missing])
        })?;
        for row in rows {
            let (places, contents): (Vec<String>, Vec<Vec<u8>>) = (row.get(1), row.get(2));
            let files: Files = places.into_iter().zip(contents).collect();
            known.insert(key(row.get(0))?, Arc::new(files));
        }
        Ok(())
    }

    /// The files of a job, in their order, if they are there as they were.
    pub(super) fn files_of(&self, job: &Job) -> Result<Option<Vec<Arc<Files>>>> {
        self.fetch_files(std::slice::from_ref(job))?;
        let known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let whole =
            |wanted: &u128| known.get(wanted).filter(|files| fingerprint_of(files).0 == *wanted).map(Arc::clone);
        Ok(job.files.iter().map(whole).collect())
    }

    /// Notes that a job runs here now: if this worker does not survive it, that counts.
    pub(super) fn begin(&self, job: u128) -> Result<()> {
        let begin = "update mazurka.jobs set attempts = attempts + 1 where key = $1 and result is null";
        let note = |_: &u64, session: &mut Session| session.running.extend([job]);
        self.ask_and(|client, _| client.execute(begin, &[&bytes(job)]), note)?;
        Ok(())
    }

    /// Keeps results. They are on disk when this returns. Where there is one already, that stays.
    pub(super) fn finish(&self, outcomes: &[Outcome]) -> Result<()> {
        let keys: Vec<Vec<u8>> = outcomes.iter().map(|outcome| bytes(outcome.key)).collect();
        let rows: Vec<&str> = outcomes.iter().map(|outcome| outcome.row.as_str()).collect();
        let pages: Vec<Option<&[u8]>> = outcomes.iter().map(|outcome| outcome.page.as_deref()).collect();
        // One statement, which waits for the disk.
        let finish = "with durably as materialized (select set_config('synchronous_commit', 'on', true))
            update mazurka.jobs j
            set result = done.row::json, page = done.page, finished = clock_timestamp(), holder = null
            from durably, unnest($1::bytea[], $2::text[], $3::bytea[]) as done(key, row, page)
            where j.key = done.key and j.result is null";
        let note = |_: &u64, session: &mut Session| {
            session.running.retain(|running| outcomes.iter().all(|done| done.key != *running));
        };
        self.ask_and(|client, _| client.execute(finish, &[&keys, &rows, &pages]), note)?;
        Ok(())
    }

    /// Gives back what was taken and is not done. Nothing is done about it if the server is not there: then it is free
    /// anyway.
    pub(super) fn give_back(&self) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let running: Vec<Vec<u8>> = session.running.drain().map(bytes).collect();
        let number = session.number;
        let Some(connection) = &mut session.connection else { return };
        let give = "update mazurka.jobs set holder = null,
                attempts = case when key = any($2) then greatest(attempts - 1, 0) else attempts end
            where holder = $1 and result is null";
        let _ = connection.execute(give, &[&number, &running]);
    }

    /// How a run stands; without one, how all jobs do.
    pub(super) fn progress(&self, run: Option<u128>) -> Result<Progress> {
        let run = run.map(bytes);
        let number = |row: &Row, column: usize| row.get::<_, i64>(column) as usize;
        let row = self.ask(|client, _| {
            let count = "select count(*), count(*) filter (where j.result is not null),
                    count(*) filter (where j.result->>'verdict' = 'violated')
                from mazurka.jobs j
                where $1::bytea is null or exists (select from mazurka.runs r where r.run = $1 and r.key = j.key)";
            client.query_one(count, &[&run])
        })?;
        Ok(Progress { planned: number(&row, 0), finished: number(&row, 1), violated: number(&row, 2) })
    }

    /// Whether any job is left, of a run or of all.
    pub(super) fn is_done(&self, run: Option<u128>) -> Result<bool> {
        let run = run.map(bytes);
        let open = "select not exists (select from mazurka.jobs j where j.result is null and
            ($1::bytea is null or exists (select from mazurka.runs r where r.run = $1 and r.key = j.key)))";
        Ok(self.ask(|client, _| client.query_one(open, &[&run]))?.get(0))
    }

    /// How many sessions are connected.
    pub(super) fn sessions(&self) -> Result<usize> {
        let count = format!("with {ALIVE} select count(*) from alive");
        Ok(self.ask(|client, _| client.query_one(&count, &[]))?.get::<_, i64>(0) as usize)
    }

    /// The results of a run, block by block.
    pub(super) fn results(&self, run: u128, with_pages: bool, mut take: impl FnMut(Outcome)) -> Result<()> {
        let mut after: Vec<u8> = Vec::new();
        // Pages are large.
        let block = if with_pages { 50 } else { BLOCK as i64 };
        loop {
            let rows = self.ask(|client, _| {
                let fetch = "select j.key, j.result::text, case when $3 then j.page end
                    from mazurka.runs r join mazurka.jobs j on j.key = r.key
                    where r.run = $1 and r.key > $2 and j.result is not null order by r.key limit $4";
                client.query(fetch, &[&bytes(run), &after, &with_pages, &block])
            })?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.get(0);
            for row in &rows {
                take(Outcome { key: key(row.get(0))?, row: row.get(1), page: row.get(2) });
            }
        }
    }
}

enum Failure {
    Database(Error),
    /// A store that another version made.
    Version(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Database(error)
    }
}

/// Changes something that is on disk when this returns.
fn durably(connection: &mut Connection, change: &str, parameters: Parameters<'_>) -> std::result::Result<u64, Error> {
    let statement = connection.statement(change)?;
    let mut transaction = connection.client.transaction()?;
    transaction.batch_execute("set local synchronous_commit to on")?;
    let changed = transaction.execute(&statement, parameters)?;
    transaction.commit()?;
    Ok(changed)
}

/// Whether something is wrong with the connection or the server, and not with the question: it may be well again later.
fn is_lost(error: &Error) -> bool {
    match error.code() {
        None => true,
        Some(code) => {
            let again = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
            // Lost connections, a lack of disk or memory, a server that is ended.
            again.contains(code) || ["08", "53", "57P0"].iter().any(|class| code.code().starts_with(class))
        }
    }
}

/// What is wrong, in words that may be shown.
fn words(error: &Error) -> String {
    let text = match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => {
            let source = std::error::Error::source(error);
            source.map_or_else(|| error.to_string(), |source| source.to_string())
        }
    };
    terminal::name(&text).into_owned()
}

/// An address as it may be shown.
fn without_password(address: &str) -> String {
    let shown = terminal::name(address).into_owned();
    let Some((scheme, rest)) = shown.split_once("://") else { return shown };
    let (people, host) = rest.split_at(rest.find('@').unwrap_or(0));
    let user = people.split(':').next().unwrap_or_default();
    format!("{scheme}://{user}{}", host.split('?').next().unwrap_or_default())
}

/// How many sessions there are, in words.
pub(super) fn workers(sessions: usize) -> String {
    count(sessions as u64, "process", "processes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(without_password("postgres://me:secret@host:5432/db?sslmode=disable"), "postgres://me@host:5432/db");
        assert_eq!(without_password("postgres://host/db?password=secret"), "postgres://host/db");
        assert!(ALIVE.contains(&LOCKS.to_string()));
    }
}
