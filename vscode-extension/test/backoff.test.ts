import assert from "node:assert/strict";
import { test } from "node:test";

import { RestartPolicy } from "../src/backoff.ts";

function crashes(policy: RestartPolicy, times: readonly number[]): (number | undefined)[] {
  return times.map((time) => policy.afterCrash(time));
}

test("delays grow and end", () => {
  const delays = crashes(new RestartPolicy(), [0, 1_000, 5_000, 20_000]);
  assert.deepEqual(delays, [500, 2_000, 8_000, undefined]);
});

test("an old crash is forgotten", () => {
  const policy = new RestartPolicy();
  crashes(policy, [0, 1_000]);
  assert.equal(policy.afterCrash(200_000), 500);
});

test("a restart by hand starts afresh", () => {
  const policy = new RestartPolicy();
  crashes(policy, [0, 1, 2, 3, 4]);
  policy.reset();
  assert.equal(policy.count, 0);
  assert.equal(policy.afterCrash(5), 500);
});
