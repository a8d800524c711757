import assert from "node:assert/strict";
import { test } from "node:test";

import { isOfInterest } from "../src/interest.ts";

const kernel = { languageId: "python", scheme: "file", text: "import tilelang.language as T\n" };

test("a Python file that mentions tilelang is of interest", () => {
  assert.equal(isOfInterest(kernel), true);
  assert.equal(isOfInterest({ ...kernel, scheme: "untitled" }), true);
});

test("other files are not", () => {
  assert.equal(isOfInterest({ ...kernel, text: "import torch\n" }), false);
  assert.equal(isOfInterest({ ...kernel, text: "mytilelangs = 1\n" }), false);
  assert.equal(isOfInterest({ ...kernel, languageId: "markdown" }), false);
  assert.equal(isOfInterest({ ...kernel, scheme: "git" }), false);
});
