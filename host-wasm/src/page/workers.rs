//! The workers of the page, each with a module of its own, which begins with the first request.

use js_sys::Function;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::messages::{Reply, Request};
use crate::post::{post, unpack};

/// Script that loads the module that a worker is named after.
const START: &str = "start.js";

/// The workers that have begun.
pub struct Workers {
    begun: Vec<(&'static str, Worker)>,
    /// Function that receives the messages of all workers.
    hear: Function,
}

impl Workers {
    /// Returns no workers yet; `hear` will receive their replies.
    pub fn new(hear: impl Fn(Reply, &[u8]) + 'static) -> Self {
        let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let (reply, body) = unpack(&event.data());
            if let Ok(reply) = postcard::from_bytes::<Reply>(&reply) {
                hear(reply, &body);
            }
        });
        Self { begun: Vec::new(), hear: hear.into_js_value().unchecked_into() }
    }

    /// Sends a request to the worker of its view.
    pub fn send(&mut self, request: &Request, body: &[u8]) {
        let Some(worker) = self.of(request.view.module()) else { return };
        post(request, body, |message, transfer| {
            worker.post_message_with_transfer(message, transfer)
        });
    }

    /// Returns the worker of a module, which begins with the first call. `None` where the browser
    /// starts none.
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
