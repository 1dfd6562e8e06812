// `cargo xtask wasm` runs this with the module's path in EDGE_WORKER.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const module = await WebAssembly.compile(await readFile(process.env.EDGE_WORKER));
const { exports: wasm } = await WebAssembly.instantiate(module);
const noon = 1_700_000_000;

function follow(slug, { now = noon, userAgent = "", country = "", query = "" } = {}) {
    const question = new TextEncoder().encode([slug, now, userAgent, country, query].join("\n"));
    new Uint8Array(wasm.memory.buffer, wasm.buffer(), question.length).set(question);
    const length = wasm.follow(question.length);
    return new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.buffer(), length));
}

test("the module asks its host for nothing", () => {
    assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("a visitor is sent on with the query merged", () => {
    const answer = follow("sale", { query: "utm_source=post" });
    assert.equal(answer, "301 https://example.com/sale?from=edge&utm_source=post");
});

test("Android goes to the app and others to the page", () => {
    const userAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8)";
    assert.equal(follow("app", { userAgent }), "301 https://store.example/app");
    assert.equal(follow("app"), "301 https://example.com/app");
});

test("expired, gated and unknown links lead nowhere", () => {
    assert.equal(follow("sale", { now: 1_800_000_000 }), "410");
    assert.equal(follow("odd"), "403");
    assert.equal(follow("nothing"), "404");
    assert.equal(follow("not a slug"), "404");
    assert.equal(follow("sale", { now: "soon" }), "400");
});
