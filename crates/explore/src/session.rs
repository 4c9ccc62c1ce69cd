//! What is known of the program, and the answers to what a page asks.

use mazurka::engines::{Options, refuses};
use mazurka::report::explore::wire::{self, EngineShown, Request, Shown};
use mazurka::report::explore::{Follow, NoWaypoint, Waypoint};
use mazurka::report::html::Source;
use mazurka::{Budget, Engine, Found, Meter, Origin, Schedule, Subject, Violation};
use std::time::Duration;

/// How long a schedule is shortened.
const MINIMISING: Duration = Duration::from_secs(5);

/// What is explored.
pub struct Exhibit<'a> {
    /// What the page calls it.
    pub name: &'a str,
    /// Its texts.
    pub texts: &'a [Source],
    /// The program.
    pub subject: &'a dyn Subject,
    /// What a saved schedule says of it.
    pub origin: Origin,
    /// Where the page begins.
    pub begin: Begin,
    /// What engines are told.
    pub options: Options,
}

/// Where a page begins.
pub enum Begin {
    /// At the place of this text.
    Waypoint(Waypoint),
    /// At the end of a schedule.
    Schedule(Schedule),
}

/// What was asked cannot be answered: why, in words.
pub(crate) struct Unanswered(pub(crate) String);

impl From<NoWaypoint> for Unanswered {
    fn from(none: NoWaypoint) -> Self {
        Unanswered(none.to_string())
    }
}

impl Exhibit<'_> {
    /// The engine of this name, if it does not refuse the program.
    pub(crate) fn engine(&self, name: &str) -> Result<Engine, Unanswered> {
        let engine = Engine::by_name(name).ok_or_else(|| Unanswered("there is no such engine".into()))?;
        match refuses(engine, &self.subject.traits()) {
            Some(why) => Err(Unanswered(format!("{engine} does not take this program: {why}"))),
            None => Ok(engine),
        }
    }
}

/// Answers what is asked of the program.
pub(crate) struct Session<'a> {
    exhibit: &'a Exhibit<'a>,
    follower: Box<dyn Follow + 'a>,
    begin: Waypoint,
}

impl<'a> Session<'a> {
    /// Comes to the place where the page begins; an error if there is none.
    pub(crate) fn new(exhibit: &'a Exhibit<'a>) -> Result<Self, String> {
        let mut follower = exhibit.subject.follower(exhibit.options.races);
        let begin = match &exhibit.begin {
            Begin::Waypoint(waypoint) => {
                follower.schedule(waypoint).map_err(|none| none.to_string())?;
                waypoint.clone()
            }
            Begin::Schedule(schedule) => {
                follower.waypoint(schedule).ok_or("the program does not follow the schedule")?
            }
        };
        Ok(Session { exhibit, follower, begin })
    }

    /// Answers a request that needs no engine.
    pub(crate) fn answer(&mut self, request: &Request) -> Result<String, Unanswered> {
        match request {
            Request::Program => Ok(self.program()),
            Request::At(waypoint, known) => Ok(wire::at(&self.follower.at(waypoint, *known)?)),
            Request::Reverse(waypoint, first, second) => self.reverse(waypoint, *first, *second),
            Request::Minimise(waypoint) => self.minimise(waypoint),
            Request::Save(waypoint) => self.save(waypoint),
            Request::Watch(..) | Request::Go(_) => Err(Unanswered("the program itself runs no engine".into())),
        }
    }

    fn program(&self) -> String {
        let traits = self.exhibit.subject.traits();
        let shown = |&engine: &Engine| EngineShown {
            name: engine.name(),
            summary: engine.summary(),
            refuses: refuses(engine, &traits),
        };
        let engines: Vec<EngineShown> = Engine::ALL.iter().map(shown).collect();
        wire::program(&Shown {
            program: self.exhibit.name,
            sources: self.exhibit.texts,
            starts: self.follower.starts(),
            begin: &self.begin,
            engines: &engines,
        })
    }

    fn reverse(&mut self, waypoint: &Waypoint, first: usize, second: usize) -> Result<String, Unanswered> {
        let schedule = self.follower.schedule(waypoint)?;
        let reversed = self.exhibit.subject.reverse(&schedule, first, second);
        let reversed = reversed.ok_or_else(|| {
            let (first, second) = (first.saturating_add(1), second.saturating_add(1));
            Unanswered(format!(
                "step {second} cannot come before step {first}: more than their conflict orders the two"
            ))
        })?;
        let kept = reversed.moves.len();
        let note = match schedule.moves.len() - kept {
            0 => "the two steps have changed places".to_owned(),
            1 => "the two steps have changed places; one later step is not possible any more".to_owned(),
            lost => format!("the two steps have changed places; {lost} later steps are not possible any more"),
        };
        self.place(&reversed, &note)
    }

    fn minimise(&mut self, waypoint: &Waypoint) -> Result<String, Unanswered> {
        let found = self.found(waypoint)?;
        let meter = Meter::start(&Budget {
            time: Some(MINIMISING),
            cancel: self.exhibit.options.budget.cancel.clone(),
            ..Budget::default()
        });
        let short = self.exhibit.subject.shorten(&found, &meter).schedule;
        let (before, after) = (waypoint.turns.len(), short.moves.len());
        let note =
            if after < before { format!("{after} steps instead of {before}") } else { "as short as it gets".into() };
        self.place(&short, &note)
    }

    fn save(&mut self, waypoint: &Waypoint) -> Result<String, Unanswered> {
        let found = self.found(waypoint)?;
        let file = self.exhibit.subject.record(&found, &self.exhibit.origin);
        Ok(wire::file("mazurka.schedule", &file.to_string()))
    }

    /// The last violation on the way to a place, with the schedule that ends there.
    fn found(&mut self, waypoint: &Waypoint) -> Result<Found, Unanswered> {
        let at = self.follower.at(waypoint, usize::MAX)?;
        let none = || Unanswered("nothing goes wrong on the way to this place: a schedule leads to a violation".into());
        let wrong = at.wrongs.last().ok_or_else(none)?;
        let mut schedule = self.follower.schedule(waypoint)?;
        schedule.moves.truncate(wrong.steps);
        let violation: Violation = wrong.violation.clone();
        Ok(Found { violation, schedule })
    }

    fn place(&mut self, schedule: &Schedule, note: &str) -> Result<String, Unanswered> {
        let waypoint =
            self.follower.waypoint(schedule).ok_or_else(|| Unanswered("the program does not do that again".into()))?;
        Ok(wire::place(&waypoint, note))
    }
}
