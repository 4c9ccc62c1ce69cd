//! Times of day.

use crate::Profile;
use crate::clock;
use crate::stage::Stage;
use mazurka_groovy::{Native, Run, Trouble, Value};
use std::rc::Rc;

/// What the study takes for midnight and for the times of sunrise and sunset.
const STUDY_MIDNIGHT: i64 = 1_564_191_100_415;
const STUDY_SUNRISE: i64 = 1_563_800_160_000;
const STUDY_SUNSET: i64 = 1_563_850_740_000;

impl Stage<'_> {
    /// A function about time; `None` if it is not one of those.
    pub(super) fn call_time(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Trouble> {
        Ok(Some(match (name, arguments) {
            ("now", []) => Value::Long(clock::NOW),
            ("timeToday", [time, ..]) => self.today(run, time)?,
            ("timeTodayAfter", [after, time, ..]) => {
                let (after, today) = (self.today(run, after)?, self.today(run, time)?);
                match (&after, &today) {
                    (Value::Date(after), Value::Date(at)) if at <= after && self.home.profile == Profile::Usual => {
                        Value::Date(at + 24 * 3_600_000)
                    }
                    _ => today,
                }
            }
            ("timeOfDayIsBetween", [from, to, at, ..]) => match (moment(from), moment(to), moment(at)) {
                (Some(from), Some(to), Some(at)) => Value::Bool(is_between(from, to, at)),
                _ => return Err(Trouble::null("timeOfDayIsBetween of what is not a date")),
            },
            ("toDateTime", [Value::Date(date)]) => Value::Date(*date),
            ("toDateTime", [time]) => self.today(run, time)?,
            ("timeZone", _) => Value::Native(Rc::new(Native::Zone(clock::ZONE.into()))),
            ("getSunriseAndSunset", _) => self.sunrise_and_sunset(),
            _ => return Ok(None),
        }))
    }

    /// Today at a time of day.
    fn today(&mut self, run: &mut Run, time: &Value) -> Result<Value, Trouble> {
        let text = match time {
            Value::Date(date) => return Ok(Value::Date(*date)),
            Value::Null => return Err(Trouble::null("a time of day")),
            other => run.text(self, other)?,
        };
        let Some((hour, minute)) = clock::time_of_day(&text) else {
            return Err(Trouble::illegal("this is not a time of day"));
        };
        Ok(Value::Date(match self.home.profile {
            // The study adds seconds to milliseconds.
            Profile::Paper => STUDY_MIDNIGHT + 3600 * hour + 60 * minute,
            Profile::Usual => clock::today_at(hour, minute),
        }))
    }

    /// When the sun rises and sets today.
    pub(super) fn sunrise_and_sunset(&self) -> Value {
        let date = |moment: i64| match self.home.profile {
            Profile::Paper => Value::record([("time", Value::Long(moment))]),
            Profile::Usual => Value::Date(moment),
        };
        let (sunrise, sunset) = match self.home.profile {
            Profile::Paper => (STUDY_SUNRISE, STUDY_SUNSET),
            Profile::Usual => {
                let midnight = clock::midnight(clock::NOW);
                (midnight + clock::SUNRISE, midnight + clock::SUNSET)
            }
        };
        Value::record([("sunrise", date(sunrise)), ("sunset", date(sunset))])
    }
}

fn moment(value: &Value) -> Option<i64> {
    match value {
        Value::Date(date) => Some(*date),
        Value::Long(moment) => Some(*moment),
        _ => None,
    }
}

/// Whether a time of day lies between two others; the later one may be on the next day.
fn is_between(from: i64, to: i64, at: i64) -> bool {
    let of_day = |moment: i64| moment - clock::midnight(moment);
    let (from, to, at) = (of_day(from), of_day(to), of_day(at));
    if from <= to { (from..=to).contains(&at) } else { at >= from || at <= to }
}
