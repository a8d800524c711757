import assert from "node:assert/strict";
import { test } from "node:test";

import { expand, type Located, type LocateInput, locate, type Probe } from "../src/locate.ts";

const nothing: LocateInput = {
  serverPath: [],
  interpreter: "",
  pythonExtensionInterpreter: async () => undefined,
  folders: ["/w"],
  searchPath: "bin:/usr/bin",
  home: "/home/u",
  trusted: true,
  windows: false,
};

/** A machine with these files, of which the interpreters named second have the server. */
function machine(files: readonly string[], withServer: readonly string[] = []): Probe {
  return {
    isFile: async (file) => files.includes(file),
    hasServer: async (interpreter) => withServer.includes(interpreter),
  };
}

function origin(located: Located): string {
  return "found" in located ? located.found.origin : `missing: ${located.missing}`;
}

const venv = "/w/.venv/bin/python";
const script = "/usr/bin/tl-ascend-server";

test("server.path wins and keeps its arguments", async () => {
  const input = { ...nothing, serverPath: ["~/s", "--log", "${workspaceFolder}/l"], interpreter: venv };
  const located = await locate(input, machine(["/home/u/s", venv], [venv]));
  assert.deepEqual(located, {
    found: { command: "/home/u/s", args: ["--log", "/w/l"], origin: "setting tl-ascend.server.path" },
  });
});

test("a wrong setting is an error, not a reason to look elsewhere", async () => {
  const probe = machine([script, venv], []);
  const byPath = await locate({ ...nothing, serverPath: ["/no"] }, probe);
  assert.match(origin(byPath), /^missing: tl-ascend.server.path names "\/no"/);
  const byInterpreter = await locate({ ...nothing, interpreter: "/no/python" }, probe);
  assert.match(origin(byInterpreter), /^missing: tl-ascend.interpreter names/);
  const without = await locate({ ...nothing, interpreter: venv }, probe);
  assert.match(origin(without), /has no tl-ascend/);
});

test("the interpreter runs the module", async () => {
  const located = await locate({ ...nothing, interpreter: "/p" }, machine(["/p"], ["/p"]));
  assert.ok("found" in located);
  assert.deepEqual(located.found.args, ["-m", "tl_ascend_server"]);
});

test("then the Python extension, the workspace's .venv, the search path", async () => {
  const active = { ...nothing, pythonExtensionInterpreter: async () => "/active" };
  const all = machine([venv, script], ["/active", venv]);
  assert.equal(origin(await locate(active, all)), "Python extension");
  assert.equal(origin(await locate(nothing, all)), "workspace .venv");
  assert.equal(origin(await locate(active, machine([venv, script], [venv]))), "workspace .venv");
  assert.equal(origin(await locate(nothing, machine([venv, script]))), "PATH");
});

test("nothing found names the interpreter to install into", async () => {
  const active = { ...nothing, pythonExtensionInterpreter: async () => "/active" };
  const located = await locate(active, machine([]));
  assert.ok("missing" in located);
  assert.equal(located.interpreter, "/active");
});

test("an untrusted folder names no interpreter", async () => {
  const input = {
    ...nothing,
    trusted: false,
    pythonExtensionInterpreter: () => assert.fail("asked for an interpreter"),
  };
  assert.equal(origin(await locate(input, machine([venv, script], [venv]))), "PATH");
});

test("relative entries of the search path are skipped", async () => {
  const located = await locate(nothing, machine(["bin/tl-ascend-server"]));
  assert.ok("missing" in located);
});

test("Windows has its own endings and folders", async () => {
  const input = { ...nothing, windows: true, searchPath: "C:\\bin", folders: ["C:\\w"] };
  const found = await locate(input, machine(["C:\\bin\\tl-ascend-server.exe"]));
  assert.equal(origin(found), "PATH");
  const python = "C:\\w\\.venv\\Scripts\\python.exe";
  assert.equal(origin(await locate(input, machine([python], [python]))), "workspace .venv");
});

test("expand leaves a tilde in the middle alone", () => {
  assert.equal(expand("~/a~/b", nothing), "/home/u/a~/b");
  assert.equal(expand("~x", nothing), "~x");
  assert.equal(expand("${workspaceFolder}", { home: "", folders: ["/a$&b"] }), "/a$&b");
});
