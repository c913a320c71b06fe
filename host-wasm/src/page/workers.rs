//! The workers, each of which has a module of its own and begins when it is first asked for something.

use js_sys::Function;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::messages::{Reply, Request};
use crate::worker::{post, unpack};

/// What loads a module: the one that a worker is named after.
const START: &str = "start.js";

/// The workers that have begun.
pub struct Workers {
    begun: Vec<(&'static str, Worker)>,
    /// What hears all of them.
    hear: Function,
}

impl Workers {
    /// None yet; their replies will be heard by this.
    pub fn new(hear: impl Fn(Reply, &[u8]) + 'static) -> Self {
        let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let (reply, body) = unpack(&event.data());
            if let Ok(reply) = postcard::from_bytes::<Reply>(&reply) {
                hear(reply, &body);
            }
        });
        Self { begun: Vec::new(), hear: hear.into_js_value().unchecked_into() }
    }

    /// Asks the worker of the view.
    pub fn send(&mut self, request: &Request, body: &[u8]) {
        let Some(worker) = self.of(request.view.module()) else { return };
        post(request, body, |message, transfer| {
            worker.post_message_with_transfer(message, transfer)
        });
    }

    fn of(&mut self, module: &'static str) -> Option<&Worker> {
        let place = self.begun.iter().position(|(name, _)| *name == module);
        let place = place.or_else(|| {
            let options = WorkerOptions::new();
            options.set_type(WorkerType::Module);
            options.set_name(module);
            let worker = Worker::new_with_options(START, &options).ok()?;
            worker.set_onmessage(Some(&self.hear));
            self.begun.push((module, worker));
            Some(self.begun.len() - 1)
        });
        self.begun.get(place?).map(|(_, worker)| worker)
    }
}
