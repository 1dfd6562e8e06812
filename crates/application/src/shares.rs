//! A share for each key of something that many requests want.

use std::{
    collections::HashMap,
    fmt,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Admits a few requests of each key at a time.
///
/// It remembers a key only while a request of the key holds a share or waits for one, so it
/// takes no more memory than there are requests.
pub(crate) struct Shares<K> {
    each: usize,
    most: usize,
    keys: Arc<Mutex<HashMap<K, Key>>>,
}

struct Key {
    free: Arc<Semaphore>,
    requests: usize,
}

/// A share of a key, given back when it is dropped.
pub(crate) struct Share<K: Eq + Hash> {
    _permit: OwnedSemaphorePermit,
    _request: Request<K>,
}

/// A request that holds a share or waits for one.
struct Request<K: Eq + Hash> {
    key: K,
    keys: Arc<Mutex<HashMap<K, Key>>>,
}

impl<K: Eq + Hash + Clone + Send + Sync> Shares<K> {
    /// Admits `each` requests of a key at a time; with those that wait, `most`.
    pub(crate) fn new(each: usize, most: usize) -> Self {
        Self {
            each,
            most,
            keys: Arc::default(),
        }
    }

    /// Waits for a share of the key. Returns `None` if too many requests of the key wait.
    pub(crate) async fn wait(&self, key: &K) -> Option<Share<K>> {
        let (request, free) = self.enter(key)?;
        let permit = free.acquire_owned().await;
        Some(Share {
            _permit: permit.expect("the semaphore is never closed"),
            _request: request,
        })
    }

    /// Takes a share of the key if one is free.
    pub(crate) fn take(&self, key: &K) -> Option<Share<K>> {
        let (request, free) = self.enter(key)?;
        Some(Share {
            _permit: free.try_acquire_owned().ok()?,
            _request: request,
        })
    }

    fn enter(&self, key: &K) -> Option<(Request<K>, Arc<Semaphore>)> {
        let mut keys = locked(&self.keys);
        let entry = keys.entry(key.clone()).or_insert_with(|| Key {
            free: Arc::new(Semaphore::new(self.each)),
            requests: 0,
        });
        if entry.requests >= self.most {
            return None;
        }
        entry.requests += 1;
        let request = Request {
            key: key.clone(),
            keys: Arc::clone(&self.keys),
        };
        Some((request, Arc::clone(&entry.free)))
    }

    /// The number of requests of the key that hold a share or wait for one.
    #[cfg(test)]
    pub(crate) fn requests(&self, key: &K) -> usize {
        locked(&self.keys).get(key).map_or(0, |key| key.requests)
    }
}

impl<K> fmt::Debug for Shares<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shares").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> fmt::Debug for Share<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> Drop for Request<K> {
    fn drop(&mut self) {
        let mut keys = locked(&self.keys);
        if let Some(key) = keys.get_mut(&self.key) {
            key.requests -= 1;
            if key.requests == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::task;

    use super::*;

    #[tokio::test]
    async fn each_key_has_its_share_and_those_beyond_it_wait() {
        let shares = Arc::new(Shares::new(2, 10));
        let held = [shares.wait(&"a").await, shares.wait(&"a").await];
        assert!(held.iter().all(Option::is_some));
        assert!(shares.take(&"a").is_none());
        assert!(shares.take(&"b").is_some());
        let waiting = {
            let shares = Arc::clone(&shares);
            tokio::spawn(async move { shares.wait(&"a").await.is_some() })
        };
        while shares.requests(&"a") < 3 {
            task::yield_now().await;
        }
        assert!(!waiting.is_finished());
        drop(held);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test]
    async fn only_so_many_wait_and_one_who_leaves_is_forgotten() {
        let shares = Arc::new(Shares::new(1, 2));
        let held = shares.wait(&"a").await;
        let waiting = {
            let shares = Arc::clone(&shares);
            tokio::spawn(async move { shares.wait(&"a").await.is_some() })
        };
        while shares.requests(&"a") < 2 {
            task::yield_now().await;
        }
        assert!(shares.wait(&"a").await.is_none());
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert_eq!(shares.requests(&"a"), 1);
        drop(held);
        assert!(locked(&shares.keys).is_empty());
    }
}
