//! The observers, each with its queue and its thread.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use slugline_domain::{
    AuditNote, Destinations, Event, LinkKey, VisitRecord,
    measure::Counter,
    ports::{ChangeObserver, VisitObserver},
};
use tokio::{
    sync::{
        mpsc::{self, Receiver, Sender, error::TrySendError},
        oneshot,
    },
    time::timeout,
};

use super::observer::{ObservedChange, ObservedVisit, Observer};

/// The visits and changes that wait for one observer at most.
const QUEUE: usize = 4_096;

/// The time that observers have for what waits when the service stops.
const GRACE: Duration = Duration::from_secs(2);

/// The observers of a service. Telling them never waits.
#[derive(Debug)]
pub(crate) struct ObserverQueues {
    listeners: Vec<Listener>,
    dropped: Arc<Counter>,
}

/// One observer, as the rest of the service knows it.
struct Listener {
    /// `None` once the service stops.
    queue: Mutex<Option<Sender<Heard>>>,
    ended: Mutex<Option<oneshot::Receiver<()>>>,
}

#[derive(Debug)]
enum Heard {
    Visit(Box<ObservedVisit>),
    Change(Box<ObservedChange>),
}

impl ObserverQueues {
    /// Starts the thread of each observer.
    ///
    /// # Errors
    /// The system has no more threads.
    pub(crate) fn gather(observers: Vec<Box<dyn Observer>>) -> std::io::Result<Self> {
        let listeners = observers.into_iter().map(Listener::start);
        Ok(Self {
            listeners: listeners.collect::<Result<_, _>>()?,
            dropped: Arc::default(),
        })
    }

    /// The visits and changes for which a queue had no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    /// Tells nothing more, and waits a little for observers that have not heard all.
    pub(crate) async fn leave(&self) {
        for listener in &self.listeners {
            locked(&listener.queue).take();
        }
        let ends = self.listeners.iter();
        let ends: Vec<_> = ends.filter_map(|one| locked(&one.ended).take()).collect();
        let all_ended = async {
            for end in ends {
                let _ = end.await;
            }
        };
        let in_time = timeout(GRACE, all_ended).await.is_ok();
        let dropped = self.dropped();
        if dropped > 0 || !in_time {
            tracing::warn!(dropped, in_time, "observers did not hear of everything");
        }
    }

    /// Reserves room first, because what finds no room need not be made.
    fn tell(&self, what: impl Fn() -> Heard) {
        for listener in &self.listeners {
            let queue = locked(&listener.queue);
            let Some(queue) = queue.as_ref() else {
                continue;
            };
            match queue.try_reserve() {
                Ok(room) => room.send(what()),
                Err(TrySendError::Full(()) | TrySendError::Closed(())) => self.dropped.add(1),
            }
        }
    }
}

impl VisitObserver for ObserverQueues {
    fn observe(&self, record: &VisitRecord<'_>) {
        self.tell(|| {
            Heard::Visit(Box::new(ObservedVisit {
                link_id: record.link_id.to_owned(),
                stands_for: record.interval.get(),
                event: Event::of(record, Destinations::All),
            }))
        });
    }
}

impl ChangeObserver for ObserverQueues {
    fn changed(&self, note: &AuditNote, key: &LinkKey) {
        self.tell(|| {
            Heard::Change(Box::new(ObservedChange {
                at: note.at,
                author: note.author.clone(),
                operation: note.operation,
                key: key.clone(),
            }))
        });
    }
}

impl Listener {
    fn start(observer: Box<dyn Observer>) -> std::io::Result<Self> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let (end, ended) = oneshot::channel();
        let listen = move || {
            let heard_all = catch_unwind(AssertUnwindSafe(|| listen(observer, waiting)));
            if heard_all.is_err() {
                tracing::error!("an observer panicked and hears nothing more");
            }
            let _ = end.send(());
        };
        thread::Builder::new()
            .name("observer".into())
            .spawn(listen)?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            ended: Mutex::new(Some(ended)),
        })
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

fn listen(mut observer: Box<dyn Observer>, mut waiting: Receiver<Heard>) {
    while let Some(heard) = waiting.blocking_recv() {
        match heard {
            Heard::Visit(visit) => observer.visit(&visit),
            Heard::Change(change) => observer.change(&change),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc::{Receiver, Sender, channel},
        time::Instant,
    };

    use slugline_testkit::{NOTE, key};

    use super::*;

    /// Reports each key, then waits for leave to go on.
    struct Slow {
        heard: Sender<String>,
        go_on: Receiver<()>,
    }

    impl Observer for Slow {
        fn change(&mut self, change: &ObservedChange) {
            self.heard.send(change.key.to_string()).unwrap();
            let _ = self.go_on.recv();
        }
    }

    fn slow() -> (
        ObserverQueues,
        std::sync::mpsc::Receiver<String>,
        Sender<()>,
    ) {
        let (heard, told) = channel();
        let (leave, go_on) = channel();
        let observers = ObserverQueues::gather(vec![Box::new(Slow { heard, go_on })]).unwrap();
        (observers, told, leave)
    }

    #[tokio::test]
    async fn what_finds_no_room_is_dropped_and_counted() {
        let (observers, told, leave) = slow();
        observers.changed(&NOTE, &key("first"));
        // The observer has taken it and waits, so the whole queue is free.
        assert_eq!(told.recv().unwrap(), "first");
        for _ in 0..QUEUE + 3 {
            observers.changed(&NOTE, &key("later"));
        }
        assert_eq!(observers.dropped(), 3);
        drop(leave);
        observers.leave().await;
        assert_eq!(told.iter().count(), QUEUE);
    }

    #[tokio::test]
    async fn an_observer_that_does_not_return_holds_a_stop_up_for_a_moment_only() {
        let (observers, told, _leave) = slow();
        observers.changed(&NOTE, &key("first"));
        assert_eq!(told.recv().unwrap(), "first");
        let begun = Instant::now();
        observers.leave().await;
        assert!(begun.elapsed() >= GRACE);
        observers.changed(&NOTE, &key("later"));
        assert_eq!(observers.dropped(), 0);
    }

    #[tokio::test]
    async fn an_observer_that_panics_leaves_the_others_alone() {
        struct Panics;
        impl Observer for Panics {
            fn change(&mut self, _: &ObservedChange) {
                panic!("on purpose");
            }
        }
        struct Tells(Sender<()>);
        impl Observer for Tells {
            fn change(&mut self, _: &ObservedChange) {
                self.0.send(()).unwrap();
            }
        }
        let (tell, told) = channel();
        let observers =
            ObserverQueues::gather(vec![Box::new(Panics), Box::new(Tells(tell))]).unwrap();
        for _ in 0..3 {
            observers.changed(&NOTE, &key("docs"));
            told.recv().unwrap();
        }
        observers.leave().await;
    }
}
