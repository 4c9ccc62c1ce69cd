//! Futures: a task is a thread that polls. Whatever order an executor of several threads could run tasks in is among those explored.

use crate::exec::is_running;
use crate::thread;
use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Wakes the thread that polls a future.
struct Unparks(thread::Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls a future to its end on the present thread, which waits to be woken in between.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let site = Location::caller();
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        if is_running() {
            thread::pend(site);
        } else {
            std::thread::park();
        }
    }
}

/// A task that was spawned: a future of what it comes to.
#[derive(Debug)]
pub struct Task<T> {
    thread: Option<thread::JoinHandle<T>>,
    end: Arc<End>,
}

/// The end of a task.
#[derive(Debug, Default)]
struct End {
    /// Whether it has come, outside of a model.
    is_there: AtomicBool,
    /// Who waits for it.
    waiting: Mutex<Option<Waker>>,
}

/// Runs a future as a task beside the present one.
#[track_caller]
pub fn spawn<F>(future: F) -> Task<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let end = Arc::new(End::default());
    let told = Arc::clone(&end);
    let thread = thread::spawn(move || {
        let value = block_on(future);
        told.is_there.store(true, Ordering::Release);
        let waker = told.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
        value
    });
    Task { thread: Some(thread), end }
}

impl<T> Future for Task<T> {
    type Output = thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        *self.end.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
        let is_there = !is_running() && self.end.is_there.load(Ordering::Acquire);
        match self.thread.take() {
            Some(thread) if is_there || thread.is_finished() => Poll::Ready(thread.join()),
            Some(thread) => {
                self.thread = Some(thread);
                Poll::Pending
            }
            None => panic!("a task is awaited after it came to its end"),
        }
    }
}

/// Lets other tasks go first, or not.
pub async fn yield_now() {
    let mut has_yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
