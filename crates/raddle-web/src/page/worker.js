"use strict";
/* Answers one question; the page ends the worker to cancel. */
const told = new TextDecoder();
onmessage = async ({ data: { module, question } }) => {
  try {
    let memory;
    const line = (at, bytes) => postMessage(told.decode(new Uint8Array(memory.buffer, at >>> 0, bytes)));
    const { exports } = await WebAssembly.instantiate(module, { raddle: { line } });
    ({ memory } = exports);
    let at = exports.question(question.size) >>> 0;
    const reader = question.stream().getReader();
    for (let part; !(part = await reader.read()).done; at += part.value.length) {
      new Uint8Array(memory.buffer, at, part.value.length).set(part.value);
    }
    exports.answer();
  } catch (error) {
    postMessage(JSON.stringify({ error: `The engine broke off (${error.message}). Profiles larger than this browser's memory replay on the command line: raddle replay` }));
  }
};
