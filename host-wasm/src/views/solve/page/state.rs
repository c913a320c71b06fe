//! The state of a run that is drawn.

use crate::page::theme::Theme;
use crate::views::solve::frame::{Frame, Scene};
use crate::views::solve::track::{News, Track};

/// The state of a run that is drawn.
#[derive(Debug, Default)]
pub struct State {
    /// Beginning of the elements' names.
    pub view: String,
    /// Unchanging state.
    pub scene: Scene,
    /// Last frame that has arrived.
    pub frame: Option<Frame>,
    /// History of the run.
    pub track: Option<Track>,
    /// Colours of the page.
    pub theme: Theme,
    /// Quantity by which the grid is coloured.
    pub colour: String,
    /// Number of subdomains of each worker.
    pub held: Vec<u32>,
}

impl State {
    /// Returns the name of an element.
    pub fn id(&self, what: &str) -> String {
        format!("{}-{what}", self.view)
    }

    /// Takes a frame from its bytes. Returns whether another run begins with it; bytes that are no
    /// frame are passed over.
    pub fn take_frame(&mut self, bytes: &[u8]) -> bool {
        let Ok(mut frame) = postcard::from_bytes::<Frame>(bytes) else { return false };
        let scene = frame.scene.take();
        let begins = scene.is_some();
        if let Some(scene) = scene {
            (self.scene, self.track) = (scene, None);
        }
        let news = std::mem::replace(&mut frame.news, News::More(Vec::new()));
        news.apply(self.track.get_or_insert_with(|| Track::new(1)));
        self.held = held(&self.scene, &frame.owners);
        self.frame = Some(frame);
        begins
    }
}

/// Returns the number of subdomains of each worker.
fn held(scene: &Scene, owners: &[u32]) -> Vec<u32> {
    let mut held = vec![0; scene.places.len()];
    for owner in owners {
        if let Some(held) = held.get_mut(*owner as usize) {
            *held += 1;
        }
    }
    held
}
