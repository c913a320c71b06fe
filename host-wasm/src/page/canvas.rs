//! A canvas as large as the style sheet has it, in pixels of the screen.

use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, ImageData};

use super::dom;

/// Where letters stand.
pub const FONT: &str =
    "12px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Liberation Sans\", sans-serif";

/// A canvas ready to be drawn on, in pixels of the style sheet.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// What it is drawn with.
    pub context: CanvasRenderingContext2d,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// Pixels of the screen for one of the style sheet.
    pub ratio: f64,
}

impl Canvas {
    /// Returns the canvas of a name, empty; `None` where it is not shown.
    pub fn clear(id: &str) -> Option<Self> {
        let canvas = Self::again(id)?;
        let Self { context, width, height, ratio } = &canvas;
        let [wide, high] = [width, height].map(|length| pixels(length * ratio));
        let element = context.canvas()?;
        if (element.width(), element.height()) != (wide, high) {
            element.set_width(wide);
            element.set_height(high);
        }
        // The numbers are finite.
        let _ = context.set_transform(*ratio, 0.0, 0.0, *ratio, 0.0, 0.0);
        context.clear_rect(0.0, 0.0, *width, *height);
        context.set_font(FONT);
        Some(canvas)
    }

    /// Returns the canvas of a name with what is drawn on it; `None` where it is not shown.
    pub fn again(id: &str) -> Option<Self> {
        let element = dom::by_id::<HtmlCanvasElement>(id)?;
        let (width, height) =
            (f64::from(element.client_width()), f64::from(element.client_height()));
        if width < 1.0 || height < 1.0 {
            return None;
        }
        let ratio = dom::window().device_pixel_ratio().clamp(1.0, 3.0);
        let context = element.get_context("2d").ok().flatten()?;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        Some(Self { context, width, height, ratio })
    }

    /// Puts pixels of the screen at a place of the style sheet; red, green, blue and opacity of
    /// each.
    pub fn put(&self, rgba: &[u8], width: usize, (x, y): (f64, f64)) {
        let width = u32::try_from(width).unwrap_or(0);
        let image = ImageData::new_with_u8_clamped_array(Clamped(rgba), width);
        if let Ok(image) = image {
            // The numbers are finite.
            let _ = self.context.put_image_data(
                &image,
                (x * self.ratio).round(),
                (y * self.ratio).round(),
            );
        }
    }

    /// Copies a canvas of the same size onto this one, pixel by pixel.
    fn put_all_of(&self, other: &HtmlCanvasElement) {
        // The numbers are finite.
        let _ = self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
        let _ = self.context.draw_image_with_html_canvas_element(other, 0.0, 0.0);
        let _ = self.context.set_transform(self.ratio, 0.0, 0.0, self.ratio, 0.0, 0.0);
    }

    /// Writes a text at a place, aligned as the browser names it.
    pub fn text(&self, text: &str, (x, y): (f64, f64), align: &str, colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.set_text_align(align);
        // The numbers are finite.
        let _ = self.context.fill_text(text, x, y);
    }

    /// How wide a text is.
    pub fn width_of(&self, text: &str) -> f64 {
        self.context.measure_text(text).map_or(80.0, |text| text.width())
    }

    /// Draws a line between two places.
    pub fn line(&self, (x, y): (f64, f64), (to_x, to_y): (f64, f64), colour: &str) {
        self.context.set_stroke_style_str(colour);
        self.context.begin_path();
        self.context.move_to(x, y);
        self.context.line_to(to_x, to_y);
        self.context.stroke();
    }

    /// A filled rectangle.
    pub fn fill(&self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.fill_rect(x, y, width, height);
    }
}

/// A picture that is drawn anew where something in it has changed, and otherwise put there as it
/// was.
#[derive(Clone, Debug)]
pub struct Still<K> {
    /// What it depends on, and its size.
    key: Option<(K, [u32; 2])>,
    copy: Option<HtmlCanvasElement>,
}

impl<K> Default for Still<K> {
    fn default() -> Self {
        Self { key: None, copy: None }
    }
}

impl<K: PartialEq> Still<K> {
    /// Returns the canvas of a name with its picture, which `draw` draws anew only where the key or
    /// the canvas's size has changed. `None` where it is not shown.
    pub fn draw(&mut self, id: &str, key: K, draw: impl FnOnce(&Canvas)) -> Option<Canvas> {
        let canvas = Canvas::clear(id)?;
        let element = canvas.context.canvas()?;
        let key = Some((key, [element.width(), element.height()]));
        if self.key == key
            && let Some(copy) = &self.copy
        {
            canvas.put_all_of(copy);
        } else {
            draw(&canvas);
            self.copy = copy_of(&element);
            self.key = key;
        }
        Some(canvas)
    }
}

/// Returns a copy of a canvas in the same pixels, detached from the document.
fn copy_of(element: &HtmlCanvasElement) -> Option<HtmlCanvasElement> {
    let copy = dom::document().create_element("canvas").ok()?;
    let copy: HtmlCanvasElement = copy.dyn_into().ok()?;
    copy.set_width(element.width());
    copy.set_height(element.height());
    let context = copy.get_context("2d").ok().flatten()?;
    let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
    context.draw_image_with_html_canvas_element(element, 0.0, 0.0).ok()?;
    Some(copy)
}

/// Shows a text beside a place of a canvas, or hides the text.
pub fn tip(id: &str, at: Option<(&str, f64, f64)>, text: Option<String>) {
    let Some(place) = dom::by_id::<HtmlElement>(id) else { return };
    let canvas = at.and_then(|(canvas, ..)| dom::by_id::<HtmlElement>(canvas));
    let (Some((_, x, y)), Some(canvas), Some(text)) = (at, canvas, text) else {
        place.set_hidden(true);
        return;
    };
    place.set_hidden(false);
    place.set_text_content(Some(&text));
    let around = canvas.get_bounding_client_rect();
    let width = dom::document().document_element().map_or(0, |root| root.client_width());
    let left =
        (around.left() + x + 14.0).min(f64::from(width - place.offset_width()) - 8.0).max(4.0);
    let style = place.style();
    // Lengths of ours are possible.
    let _ = style.set_property("left", &format!("{left}px"));
    let _ = style.set_property("top", &format!("{}px", around.top() + y + 16.0));
}

/// A length in whole pixels, the nearest number of them; WebAssembly has no instruction for
/// `round`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub fn pixels(length: f64) -> u32 {
    (length + 0.5) as u32
}
