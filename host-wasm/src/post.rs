//! Posting and unpacking messages, the same on the page and in its workers.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};

/// Returns the two parts of a message: the encoded message, and the bytes beside it.
pub fn unpack(message: &JsValue) -> (Vec<u8>, Vec<u8>) {
    let parts: &Array = message.unchecked_ref();
    let part =
        |place| parts.get(place).dyn_into().map_or(Vec::new(), |part: Uint8Array| part.to_vec());
    (part(0), part(1))
}

/// Posts a message, whose memory belongs to the receiver from then on.
pub fn post(
    message: &impl serde::Serialize,
    body: &[u8],
    send: impl FnOnce(&JsValue, &JsValue) -> Result<(), JsValue>,
) {
    let head = postcard::to_allocvec(message).unwrap_or_default();
    let parts = [Uint8Array::from(&*head), Uint8Array::from(body)];
    let transfer: Array = parts.iter().map(Uint8Array::buffer).collect();
    let parts: Array = parts.iter().collect();
    // Whoever is to hear it is gone, then.
    let _ = send(&parts, &transfer);
}
