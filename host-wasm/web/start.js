// The page and its worker are one module; which of them this is, the surroundings tell.
import init, * as tresse from "./tresse.js";

const worker = self.document && new Worker(import.meta.url, { type: "module" });
// The worker says when it listens; whatever came before would be lost.
const listens = worker && new Promise((go) => worker.addEventListener("message", go, { once: true }));
await Promise.all([init(), listens]);
if (worker) {
  tresse.page(worker);
} else {
  tresse.worker();
  self.postMessage(null);
}
