//! Goes over the blocks and expressions of a program, so that they can be counted or changed.

use mazurka_lang::ast::{Block, Call, Expr, ExprKind, Initial, Item, Place, StatementKind, Unit};

/// Something in a program that can be changed.
pub(super) enum Part<'u> {
    /// A block; what it contains comes after it.
    Block(&'u mut Block),
    /// An expression; what it contains comes after it.
    Expr(&'u mut Expr),
    /// A place that is not a value: the target of an assignment, a lock, a handler.
    Place(&'u mut Place),
    /// A call, a spawn or a post.
    Call(&'u mut Call),
}

/// Visits everything in a program, in the order of the source.
pub(super) fn walk(unit: &mut Unit, visit: &mut dyn FnMut(Part<'_>)) {
    for item in &mut unit.items {
        walk_item(item, visit);
    }
}

fn walk_item(item: &mut Item, visit: &mut dyn FnMut(Part<'_>)) {
    match item {
        Item::Include { .. } => {}
        Item::Const { value, .. } => walk_expr(value, visit),
        Item::Enum { members, .. } => {
            members.iter_mut().filter_map(|member| member.1.as_mut()).for_each(|value| walk_expr(value, visit));
        }
        Item::Shared { length, initial, .. } | Item::Semaphore { length, initial, .. } => {
            length.iter_mut().for_each(|length| walk_expr(length, visit));
            walk_initial(initial, visit);
        }
        Item::Object { length, .. } => length.iter_mut().for_each(|length| walk_expr(length, visit)),
        Item::Channel { length, capacity, .. } => {
            length.iter_mut().for_each(|length| walk_expr(length, visit));
            walk_expr(capacity, visit);
        }
        Item::Thread { family, body, .. } => {
            if let Some(family) = family {
                walk_expr(&mut family.from, visit);
                walk_expr(&mut family.to, visit);
            }
            walk_block(body, visit);
        }
        Item::Message(function) | Item::Def(function) => walk_block(&mut function.body, visit),
        Item::Event { family, guard, body, .. } => {
            if let Some(family) = family {
                walk_expr(&mut family.from, visit);
                walk_expr(&mut family.to, visit);
            }
            guard.iter_mut().for_each(|guard| walk_expr(guard, visit));
            walk_block(body, visit);
        }
        Item::Never { condition } => walk_expr(condition, visit),
        Item::Promise { family, cause, goal, .. } => {
            if let Some(family) = family {
                walk_expr(&mut family.from, visit);
                walk_expr(&mut family.to, visit);
            }
            cause.iter_mut().for_each(|cause| walk_expr(cause, visit));
            walk_expr(goal, visit);
        }
    }
}

fn walk_initial(initial: &mut Initial, visit: &mut dyn FnMut(Part<'_>)) {
    match initial {
        Initial::Same(value) => walk_expr(value, visit),
        Initial::Each(values, _) => values.iter_mut().for_each(|value| walk_expr(value, visit)),
    }
}

fn walk_block(block: &mut Block, visit: &mut dyn FnMut(Part<'_>)) {
    visit(Part::Block(block));
    for statement in &mut block.statements {
        walk_statement(&mut statement.kind, visit);
    }
}

fn walk_statement(kind: &mut StatementKind, visit: &mut dyn FnMut(Part<'_>)) {
    match kind {
        StatementKind::Let(_, value) | StatementKind::Evaluate(value) => walk_expr(value, visit),
        StatementKind::Declare(of) => {
            of.length.iter_mut().for_each(|length| walk_expr(length, visit));
            walk_initial(&mut of.initial, visit);
        }
        StatementKind::Spawn(_, call) | StatementKind::Respawn(_, call) => walk_call(call, visit),
        StatementKind::Assign(place, value) | StatementKind::Update(place, _, value) => {
            walk_place(place, visit);
            walk_expr(value, visit);
        }
        StatementKind::If(condition, then, otherwise) => {
            walk_expr(condition, visit);
            walk_block(then, visit);
            otherwise.iter_mut().for_each(|block| walk_block(block, visit));
        }
        StatementKind::Switch(value, cases) => {
            walk_expr(value, visit);
            for case in cases {
                case.labels
                    .iter_mut()
                    .filter_map(|label| label.value.as_mut())
                    .for_each(|value| walk_expr(value, visit));
                walk_block(&mut case.body, visit);
            }
        }
        StatementKind::While(condition, body) => {
            walk_expr(condition, visit);
            walk_block(body, visit);
        }
        StatementKind::DoWhile(body, condition) => {
            walk_block(body, visit);
            walk_expr(condition, visit);
        }
        StatementKind::For(_, from, to, body) => {
            walk_expr(from, visit);
            walk_expr(to, visit);
            walk_block(body, visit);
        }
        StatementKind::ForLoop(of) => {
            of.start.iter_mut().for_each(|start| walk_statement(&mut start.kind, visit));
            of.condition.iter_mut().for_each(|condition| walk_expr(condition, visit));
            of.next.iter_mut().for_each(|next| walk_statement(&mut next.kind, visit));
            walk_block(&mut of.body, visit);
        }
        StatementKind::Return(value) => value.iter_mut().for_each(|value| walk_expr(value, visit)),
        StatementKind::Assert(condition, _) | StatementKind::Assume(condition) => walk_expr(condition, visit),
        StatementKind::Lock(place)
        | StatementKind::Unlock(place)
        | StatementKind::Signal(place)
        | StatementKind::Broadcast(place)
        | StatementKind::Enable(place)
        | StatementKind::Disable(place) => walk_place(place, visit),
        StatementKind::Wait(condition, mutex) => {
            walk_place(condition, visit);
            walk_place(mutex, visit);
        }
        StatementKind::Post(handler, call) => {
            walk_place(handler, visit);
            walk_call(call, visit);
        }
        StatementKind::Atomic(block) => walk_block(block, visit),
        StatementKind::Break | StatementKind::Continue | StatementKind::Join(_) | StatementKind::Progress => {}
    }
}

fn walk_place(place: &mut Place, visit: &mut dyn FnMut(Part<'_>)) {
    visit(Part::Place(place));
    place.index.iter_mut().for_each(|index| walk_expr(index, visit));
}

fn walk_call(call: &mut Call, visit: &mut dyn FnMut(Part<'_>)) {
    visit(Part::Call(call));
    call.arguments.iter_mut().for_each(|argument| walk_expr(argument, visit));
}

fn walk_expr(expr: &mut Expr, visit: &mut dyn FnMut(Part<'_>)) {
    visit(Part::Expr(expr));
    match &mut expr.kind {
        ExprKind::Number(_) => {}
        ExprKind::Place(place) => walk_place(place, visit),
        ExprKind::Unary(_, operand) => walk_expr(operand, visit),
        ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) | ExprKind::Choose(left, right) => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| walk_expr(part, visit));
        }
        ExprKind::Call(call) => walk_call(call, visit),
        ExprKind::Cas(place, old, new) => {
            walk_place(place, visit);
            walk_expr(old, visit);
            walk_expr(new, visit);
        }
        ExprKind::Swap(place, value) | ExprKind::FetchAdd(place, value) => {
            walk_place(place, visit);
            walk_expr(value, visit);
        }
        ExprKind::Sync(_, place, operand) => {
            walk_place(place, visit);
            operand.iter_mut().for_each(|operand| walk_expr(operand, visit));
        }
        ExprKind::WaitTimeout(condition, mutex) => {
            walk_place(condition, visit);
            walk_place(mutex, visit);
        }
    }
}
