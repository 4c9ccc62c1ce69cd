//! What has to happen in the end.

use super::{Compiler, Context};
use crate::ast::{Expr, Family, Name, Span};
use crate::code::{Body, Instruction, Promise};
use mazurka_core::{Form, Property};

impl Compiler<'_> {
    /// `eventually`, `always eventually` or `leads_to`: one for each member of a family.
    pub(super) fn promise(
        &mut self,
        form: Form,
        family: Option<&Family>,
        cause: Option<&Expr>,
        goal: &Expr,
        span: &Span,
    ) {
        let range = self.range(family);
        let parameters: Vec<Name> = family.map(|family| family.parameter.clone()).into_iter().collect();
        let cause_body = cause.map(|cause| self.condition_body(&parameters, cause));
        let goal_body = self.condition_body(&parameters, goal);
        let text = |condition: &Expr| bare(&self.condition_text(&condition.span)).to_owned();
        let property = match (form, cause) {
            (Form::Eventually, _) => Property::eventually(&text(goal)),
            (_, Some(cause)) => Property::leads_to(&text(cause), &text(goal)),
            _ => Property::always_eventually(&text(goal)),
        };
        let (line, column) = self.position(span.start);
        let property = Property { text: self.condition_text(span), ..property };
        let property = property.at(self.program.location(line, column));
        let promise = Promise { cause: cause_body, goal: Some(goal_body), parameter: None };
        match (family, range) {
            (Some(Family { parameter: Name { text, .. }, .. }), Some((from, members))) => {
                for value in from..from.saturating_add(i64::from(members)) {
                    self.program.promises.push(Promise { parameter: Some(value), ..promise.clone() });
                    self.program.properties.push(property.clone().named(&format!("{text} = {value}")));
                }
            }
            _ => {
                self.program.promises.push(promise);
                self.program.properties.push(property);
            }
        }
    }

    fn condition_body(&mut self, parameters: &[Name], condition: &Expr) -> Body {
        self.context = Context::Guard;
        self.open_site(&condition.span);
        self.body("condition", parameters, |compiler| compiler.guard(condition))
    }

    /// A program with a statement `progress` has to make progress again and again.
    pub(super) fn ask_for_progress(&mut self) {
        let is_progress = |instruction: &Instruction| matches!(instruction, Instruction::Progress);
        if let Some(pc) = self.program.code.iter().position(is_progress) {
            let location = self.program.site_location(pc as u32);
            self.program.properties.push(Property::progress().at(location));
            self.program.promises.push(Promise::default());
        }
    }
}

/// A condition without the parentheses around all of it.
fn bare(condition: &str) -> &str {
    let Some(inner) = condition.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return condition };
    let mut depth = 0i32;
    let closes_early = inner.chars().any(|sign| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth < 0
    });
    if closes_early { condition } else { inner.trim() }
}
