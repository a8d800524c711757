import assert from "node:assert/strict";
import { test } from "node:test";

import { asSizes } from "../src/sizes.ts";

test("numbers by name", () => {
  assert.deepEqual(asSizes("", ["n"]), {});
  assert.deepEqual(asSizes(" n=64, s=-2.5 ", ["n", "s"]), { n: 64, s: -2.5 });
});

test("what is wrong is said", () => {
  assert.equal(asSizes("m=3", ["n", "s"]), "There is no m; there are: n, s");
  for (const text of ["n", "n=", "n=x", "n=1=2"]) {
    assert.equal(asSizes(text, ["n"]), "n takes a number: n=64");
  }
});
