//! A worker, which keeps a model for each of its views that was opened, and answers the requests of
//! the page.

use std::cell::RefCell;

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::messages::{Outcome, Reply, Request, What};
use crate::model::{GARBLED, Model, Open};
use crate::post::{post, unpack};
use crate::view_kind::ViewKind;

/// Begins to listen to requests for the views that `open` can open.
pub fn begin(open: fn(ViewKind) -> Option<Open>) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let models = RefCell::new(Models { open, opened: Vec::new() });
    let own = scope.clone();
    let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let (request, file) = unpack(&event.data());
        let Ok(request) = postcard::from_bytes::<Request>(&request) else { return };
        let view = request.view;
        let (what, body) = models
            .borrow_mut()
            .serve(request, &file)
            .unwrap_or_else(|problem| (Outcome::Problem(problem), Vec::new()));
        post(&Reply { view, what }, &body, |message, transfer| {
            own.post_message_with_transfer(message, transfer)
        });
    });
    scope.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    hear.forget();
}

/// A model, or the reason for which there is none.
type Opened = Result<Box<dyn Model>, String>;

/// The models of all views that were opened.
struct Models {
    open: fn(ViewKind) -> Option<Open>,
    opened: Vec<(ViewKind, Opened)>,
}

impl Models {
    /// Returns the model of a view, or the sentence for which there is none.
    fn get(&mut self, view: ViewKind) -> Result<&mut (dyn Model + 'static), String> {
        let found = self.opened.iter_mut().find(|(kind, _)| *kind == view);
        match found.map(|(_, model)| model) {
            Some(Ok(model)) => Ok(&mut **model),
            Some(Err(refused)) => Err(refused.clone()),
            None => Err(GARBLED.to_owned()),
        }
    }

    /// Serves a request, and returns its outcome and the bytes that go with it. A request to
    /// advance may take its budget of milliseconds.
    fn serve(&mut self, request: Request, file: &[u8]) -> Result<(Outcome, Vec<u8>), String> {
        let Request { view, what } = request;
        let start = milliseconds();
        match what {
            What::Open(parameters) => {
                let open = (self.open)(view).ok_or(GARBLED)?;
                let model = open(&parameters, file);
                let refused = model.as_ref().err().cloned();
                // What was there stays where nothing comes in its place.
                if model.is_ok() || self.get(view).is_err() {
                    self.opened.retain(|(kind, _)| *kind != view);
                    self.opened.push((view, model));
                }
                refused.map_or(Ok(()), Err)?;
            }
            What::Advance { until, budget_ms } => {
                self.get(view)?.advance(until, &mut || milliseconds() - start > budget_ms);
            }
            What::Step => self.get(view)?.step(),
            What::Rewind(to) => self.get(view)?.rewind(to),
            What::Act(act) => return Ok((Outcome::Answer, self.get(view)?.act(&act)?)),
        }
        let model = self.get(view)?;
        let (now, has_ended) = (model.now(), model.has_ended());
        let frame = model.frame();
        Ok((Outcome::Frame { now, has_ended, took: milliseconds() - start }, frame))
    }
}

/// Returns the time of this worker in milliseconds.
fn milliseconds() -> f64 {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |clock| clock.now())
}
