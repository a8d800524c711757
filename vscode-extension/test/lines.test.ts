import assert from "node:assert/strict";
import { test } from "node:test";

import { asQuery, fromQuery, type LinePair, lineOfFile, linesOfListing } from "../src/lines.ts";

const lines: LinePair[] = [
  [3, 10],
  [4, 10],
  [6, 12],
  [9, 10],
];

test("a line of the file has every line that came of it", () => {
  assert.deepEqual(linesOfListing(lines, 10), [3, 4, 9]);
  assert.deepEqual(linesOfListing(lines, 12), [6]);
});

test("a line of which nothing came counts to the one above", () => {
  assert.deepEqual(linesOfListing(lines, 11), [3, 4, 9]);
  assert.deepEqual(linesOfListing(lines, 99), [6]);
  assert.deepEqual(linesOfListing(lines, 2), []);
  assert.deepEqual(linesOfListing([], 2), []);
});

test("a line of the listing has one line of the file", () => {
  assert.equal(lineOfFile(lines, 6), 12);
  assert.equal(lineOfFile(lines, 8), 12);
  assert.equal(lineOfFile(lines, 9), 10);
  assert.equal(lineOfFile(lines, 0), undefined);
});

test("what a listing is of survives its address", () => {
  const subject = {
    kind: "ir",
    uri: "file:///a%20b/%C3%A4%23.py",
    name: "f",
    number: 2,
    stage: "simplify",
  } as const;
  assert.deepEqual(fromQuery(asQuery(subject)), subject);
  for (const nonsense of ["", "{", "{}", "5", '{"kind":"x","uri":"u","name":"n"}']) {
    assert.equal(fromQuery(nonsense), undefined);
  }
});
