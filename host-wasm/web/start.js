// The page and its workers begin alike; which module this is, the surroundings tell.
const early = [];
// What is said to a worker before its module is there, it hears then.
if (!self.document) self.onmessage = (event) => early.push(event);
const { default: init } = await import(`./${self.document ? "page" : self.name}.js`);
await init();
early.forEach((event) => self.onmessage(event));
