//! Messages that handlers run one at a time.

use crate::exec::{Exec, Message};

impl Exec {
    /// Whether a message is the next one that its handler can run.
    pub(crate) fn is_turn(&self, slot: usize) -> bool {
        let Some(Message { handler, mailbox }) = self.actors[slot].message else { return true };
        let is_first = |mailbox: u32| self.objects[mailbox as usize].queue.first() == Some(&(slot as u32));
        self.objects[handler as usize].holder.is_none() && mailbox.is_none_or(is_first)
    }

    /// The message that runs has come to its end.
    pub(crate) fn end_message(&mut self, message: Message) {
        self.touch(message.handler, mazurka_core::Access::RELEASE);
        self.objects[message.handler as usize].holder = None;
    }
}
