//! Executing statements.

use super::Frame;
use crate::class;
use crate::native::Native;
use crate::tree::{Block, Case, Declared, Expr, Statement, StatementKind, Symbol, Try};
use crate::trouble::{Trouble, TroubleKind};
use crate::value::Value;
use std::rc::Rc;
use std::sync::Arc;

/// How a statement ends.
pub(super) enum Flow {
    /// The next one follows.
    Next,
    Return(Value),
    Break(Option<Symbol>),
    Continue(Option<Symbol>),
}

/// What the end of a loop's body means for the loop.
enum Round {
    Again,
    Leave(Flow),
}

impl Frame<'_> {
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Flow, Trouble> {
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, Trouble> {
        self.env.run.at = statement.span;
        self.env.run.tick().map_err(|trouble| self.locate(trouble, statement.span))?;
        match &statement.kind {
            StatementKind::Expr(expression) => {
                self.eval(expression)?;
            }
            StatementKind::Declare(declared, value) => {
                let value = value.as_ref().map_or(Ok(Value::Null), |value| self.eval(value))?;
                self.declare(*declared, value);
            }
            StatementKind::Return(value) => {
                let value = value.as_ref().map_or(Ok(Value::Null), |value| self.eval(value))?;
                return Ok(Flow::Return(value));
            }
            StatementKind::If { condition, then, otherwise } => {
                let branch = if self.condition(condition)? { then } else { otherwise };
                return self.block(branch);
            }
            StatementKind::Block(block) => return self.block(block),
            StatementKind::Break(label) => return Ok(Flow::Break(*label)),
            StatementKind::Continue(label) => return Ok(Flow::Continue(*label)),
            _ => return self.rare_statement(statement),
        }
        Ok(Flow::Next)
    }

    /// Statements apart from the commonest, so that those need less of the stack.
    #[inline(never)]
    fn rare_statement(&mut self, statement: &Statement) -> Result<Flow, Trouble> {
        match &statement.kind {
            StatementKind::DeclareMany(declared, value) => self.declare_many(declared, value),
            StatementKind::While { label, condition, body, body_first } => {
                self.while_loop(*label, condition, body, *body_first)
            }
            StatementKind::For { label, start, condition, update, body } => {
                self.for_loop(*label, start, condition.as_ref(), update, body)
            }
            StatementKind::ForIn { label, variable, over, body } => self.for_in(*label, *variable, over, body),
            StatementKind::Switch { label, subject, cases } => self.switch(*label, subject, cases),
            StatementKind::Try(tried) => self.try_statement(tried),
            StatementKind::Throw(value) => {
                let thrown = self.eval(value)?;
                Err(self.locate(throw(&thrown), statement.span))
            }
            StatementKind::Assert { condition, message } => {
                self.assert(condition, message.as_ref()).map_err(|trouble| self.locate(trouble, statement.span))
            }
            _ => Ok(Flow::Next),
        }
    }

    pub(super) fn condition(&mut self, expression: &Expr) -> Result<bool, Trouble> {
        match self.eval(expression)? {
            Value::Bool(flag) => Ok(flag),
            value => self.env.truth(&value).map_err(|trouble| self.locate(trouble, expression.span)),
        }
    }

    fn declare_many(&mut self, declared: &[Declared], value: &Expr) -> Result<Flow, Trouble> {
        let value = self.eval(value)?;
        let mut items = self.env.iterated(&value)?.into_iter();
        for declared in declared {
            self.declare(*declared, items.next().unwrap_or_default());
        }
        Ok(Flow::Next)
    }

    /// Executes the body of a loop once.
    fn round(&mut self, label: Option<Symbol>, body: &Block) -> Result<Round, Trouble> {
        self.env.run.tick().map_err(|trouble| self.locate(trouble, self.env.run.at))?;
        let ours = |jump: Option<Symbol>| jump.is_none() || jump == label;
        Ok(match self.block(body)? {
            Flow::Next => Round::Again,
            Flow::Continue(jump) if ours(jump) => Round::Again,
            Flow::Break(jump) if ours(jump) => Round::Leave(Flow::Next),
            other => Round::Leave(other),
        })
    }

    fn while_loop(
        &mut self,
        label: Option<Symbol>,
        condition: &Expr,
        body: &Block,
        body_first: bool,
    ) -> Result<Flow, Trouble> {
        let mut checked = !body_first;
        loop {
            if checked && !self.condition(condition)? {
                return Ok(Flow::Next);
            }
            checked = true;
            if let Round::Leave(flow) = self.round(label, body)? {
                return Ok(flow);
            }
        }
    }

    fn for_loop(
        &mut self,
        label: Option<Symbol>,
        start: &Block,
        condition: Option<&Expr>,
        update: &[Expr],
        body: &Block,
    ) -> Result<Flow, Trouble> {
        self.block(start)?;
        loop {
            if let Some(condition) = condition
                && !self.condition(condition)?
            {
                return Ok(Flow::Next);
            }
            if let Round::Leave(flow) = self.round(label, body)? {
                return Ok(flow);
            }
            for expression in update {
                self.eval(expression)?;
            }
        }
    }

    fn for_in(
        &mut self,
        label: Option<Symbol>,
        variable: Declared,
        over: &Expr,
        body: &Block,
    ) -> Result<Flow, Trouble> {
        let over = self.eval(over)?;
        for item in self.env.iterated(&over)? {
            self.declare(variable, item);
            if let Round::Leave(flow) = self.round(label, body)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, label: Option<Symbol>, subject: &Expr, cases: &[Case]) -> Result<Flow, Trouble> {
        let subject = self.eval(subject)?;
        let Some(first) = self.matching_case(&subject, cases)? else { return Ok(Flow::Next) };
        for case in &cases[first..] {
            match self.block(&case.body)? {
                Flow::Next => {}
                Flow::Break(jump) if jump.is_none() || jump == label => return Ok(Flow::Next),
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn matching_case(&mut self, subject: &Value, cases: &[Case]) -> Result<Option<usize>, Trouble> {
        for (index, case) in cases.iter().enumerate() {
            let Some(value) = &case.value else { continue };
            let candidate = self.eval(value)?;
            let matches = self.env.is_case(&candidate, subject);
            if matches.map_err(|trouble| self.locate(trouble, value.span))? {
                return Ok(Some(index));
            }
        }
        Ok(cases.iter().position(|case| case.value.is_none()))
    }

    fn try_statement(&mut self, tried: &Try) -> Result<Flow, Trouble> {
        let result = self.block(&tried.body).or_else(|trouble| self.catch(tried, trouble));
        let Some(finally) = &tried.finally else { return result };
        if let Err(trouble) = &result
            && !trouble.is_catchable()
        {
            return result;
        }
        match self.block(finally)? {
            Flow::Next => result,
            other => Ok(other),
        }
    }

    fn catch(&mut self, tried: &Try, trouble: Trouble) -> Result<Flow, Trouble> {
        if !trouble.is_catchable() {
            return Err(trouble);
        }
        let caught = trouble.class();
        let catches =
            |classes: &[Arc<str>]| classes.is_empty() || classes.iter().any(|class| class::is_subclass(caught, class));
        let Some(catch) = tried.catches.iter().find(|catch| catches(&catch.classes)) else { return Err(trouble) };
        let exception = Native::Exception { class: Arc::from(caught), message: trouble.message().map(Arc::from) };
        self.declare(catch.variable, Value::Native(Rc::new(exception)));
        self.block(&catch.body)
    }

    fn assert(&mut self, condition: &Expr, message: Option<&Expr>) -> Result<Flow, Trouble> {
        if self.condition(condition)? {
            return Ok(Flow::Next);
        }
        let text = match message {
            Some(message) => {
                let message = self.eval(message)?;
                self.env.text(&message)?
            }
            None => format!("assert {}", self.script.source().get(condition.span.range()).unwrap_or_default()),
        };
        Err(Trouble::new(TroubleKind::Assertion(text)))
    }
}

fn throw(value: &Value) -> Trouble {
    match value {
        Value::Native(native) => match &**native {
            Native::Exception { class, message } => Trouble::new(TroubleKind::Thrown {
                class: class.to_string(),
                message: message.as_ref().map(ToString::to_string),
            }),
            other => bad_throw(other.class()),
        },
        Value::Null | Value::Unknown(_) => Trouble::null("null was thrown"),
        other => bad_throw(class::name_of(other)),
    }
}

fn bad_throw(class: &str) -> Trouble {
    Trouble::new(TroubleKind::BadCast { value: class.to_owned(), class: "Throwable".to_owned() })
}
