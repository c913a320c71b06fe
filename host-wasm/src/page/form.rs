//! Controls and their values.

use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

use super::dom;

/// A control of a form, or of a view's looks.
#[derive(Clone, Debug)]
pub struct Control {
    /// Key of the control's parameter.
    pub key: String,
    element: Element,
    /// Value in the text of the page.
    default: String,
}

impl Control {
    /// Returns all controls with an attribute, whose value is the key.
    pub fn all(root: &Element, attribute: &str) -> Vec<Self> {
        let found: Vec<Element> = dom::within(root, &format!("[{attribute}]"));
        let control = |element: Element| {
            let key = element.get_attribute(attribute)?;
            let control = Self { key, default: String::new(), element };
            let default = control.value();
            Some(Self { default, ..control })
        };
        found.into_iter().filter_map(control).collect()
    }

    /// Returns the present value of the control.
    pub fn value(&self) -> String {
        let element = &self.element;
        match (element.dyn_ref::<HtmlInputElement>(), element.dyn_ref::<HtmlSelectElement>()) {
            (Some(input), _) if input.type_() == "checkbox" => {
                if input.checked() {
                    "yes".into()
                } else {
                    String::new()
                }
            }
            (Some(input), _) => input.value(),
            (_, Some(select)) => select.value(),
            _ => String::new(),
        }
    }

    /// Sets the value of the control; a choice that is not offered is added to the choices.
    pub fn set(&self, value: &str) {
        let element = &self.element;
        if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
            if input.type_() == "checkbox" {
                input.set_checked(!value.is_empty());
            } else {
                input.set_value(value);
            }
        }
        if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
            select.set_value(value);
            if select.value() != value
                && let Ok(option) = dom::document().create_element("option")
            {
                option.set_text_content(Some(value));
                // If this fails, nothing is selected.
                let _ = select.append_child(&option);
                select.set_value(value);
            }
        }
    }

    /// Returns the control's value in the text of the page.
    pub fn default(&self) -> &str {
        &self.default
    }
}
