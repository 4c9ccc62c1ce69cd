//! `runIn`, `schedule` and the others that have a method run later.
//!
//! A timer is an event that can happen as soon as it is set: how long it takes is not known here. In the study the method
//! is called at once.

use super::app;
use crate::Profile;
use crate::stage::Stage;
use mazurka_groovy::{Run, Trouble, Value};

impl Stage<'_> {
    /// A function that has a method run later; `None` if it is not one of those.
    pub(super) fn call_timer(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Trouble> {
        let periodic = match name {
            "runIn" | "runInMillis" | "runOnce" => false,
            "schedule" => !matches!(plain(arguments).first(), Some(Value::Date(_))),
            "runDaily" => true,
            every if every.starts_with("runEvery") => true,
            "unschedule" => {
                self.unschedule(run, arguments)?;
                return Ok(Some(Value::Null));
            }
            "canSchedule" => return Ok(Some(Value::Bool(true))),
            _ => return Ok(None),
        };
        let method = match plain(arguments).last() {
            Some(Value::Method(method) | Value::Text(method)) => method.clone(),
            Some(Value::Closure(_)) => return Err(Trouble::unsupported("a closure as what a timer runs")),
            Some(other) => run.text(self, other)?.into(),
            None => return Err(Trouble::illegal(format!("{name} needs the method that is to run"))),
        };
        let options = arguments.iter().find_map(|argument| argument.as_map().cloned());
        let data = options.as_ref().and_then(|options| options.get("data")).unwrap_or_default();
        if self.home.profile == Profile::Paper {
            let arguments = if data.is_null() { Vec::new() } else { vec![data] };
            let instance = self.instance(app(run));
            run.call_method(self, &instance, &method, &arguments)?;
            return Ok(Some(Value::Null));
        }
        let data = data.freeze().map_err(Trouble::from)?;
        let overwrite = match options.and_then(|options| options.get("overwrite")) {
            Some(overwrite) => run.truth(self, &overwrite)?,
            None => true,
        };
        self.start_timer(app(run), &method, periodic, data, overwrite || periodic);
        Ok(Some(Value::Null))
    }

    fn unschedule(&mut self, run: &mut Run, arguments: &[Value]) -> Result<(), Trouble> {
        if self.home.profile == Profile::Paper {
            return Ok(());
        }
        match arguments {
            [] => self.stop_timers(app(run)),
            [method, ..] => {
                let method = run.text(self, method)?;
                self.stop_timer(app(run), &method);
            }
        }
        Ok(())
    }
}

/// The arguments that are no options.
fn plain(arguments: &[Value]) -> Vec<&Value> {
    arguments.iter().filter(|argument| !matches!(argument, Value::Map(_))).collect()
}
