// The answers of this machine to the questions of locate.ts.

import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";

import { type Probe, SERVER_MODULE } from "./locate.ts";

const FIND_SERVER = `import importlib.util as u, sys; sys.exit(u.find_spec("${SERVER_MODULE}") is None)`;
const TIMEOUT_MS = 20_000;

/** Asks the file system and real interpreters; `cwd` must be a folder without Python modules. */
export function machineProbe(cwd: string, note: (line: string) => void): Probe {
  return {
    isFile: async (file) => (await stat(file).catch(() => undefined))?.isFile() ?? false,
    hasServer: (interpreter) =>
      new Promise((resolve) => {
        execFile(interpreter, ["-c", FIND_SERVER], { cwd, timeout: TIMEOUT_MS }, (error) => {
          note(`${interpreter}: ${error === null ? "has" : "has no"} ${SERVER_MODULE}`);
          resolve(error === null);
        });
      }),
  };
}
