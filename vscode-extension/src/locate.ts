// Finds the command that starts the language server. No editor API here: the tests run it as it is.

import { posix, win32 } from "node:path";

export const SERVER_MODULE = "tl_ascend_server";
export const SERVER_SCRIPT = "tl-ascend-server";

/** A command to run, and where it was found, in words for the tooltip. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: string;
}

/** Everything that decides about the command. */
export interface LocateInput {
  readonly serverPath: readonly string[];
  readonly interpreter: string;
  /** Asked only when the settings name nothing: waking the Python extension costs time. */
  readonly pythonExtensionInterpreter: () => Promise<string | undefined>;
  readonly folders: readonly string[];
  readonly searchPath: string;
  readonly home: string;
  readonly trusted: boolean;
  readonly windows: boolean;
}

/** What the search asks the machine. */
export interface Probe {
  isFile(file: string): Promise<boolean>;
  /** Whether the interpreter runs and can import the server. */
  hasServer(interpreter: string): Promise<boolean>;
}

export type Located =
  | { readonly found: ServerCommand }
  | { readonly missing: string; readonly setting?: string; readonly interpreter?: string };

const NOT_FOUND = "The tl-ascend language server is not installed where this window can find it.";
const NOT_TRUSTED = " This folder is not trusted, so its own interpreters are not used.";

const paths = (windows: boolean): typeof posix => (windows ? win32 : posix);

function viaModule(interpreter: string, origin: string): Located {
  return { found: { command: interpreter, args: ["-m", SERVER_MODULE], origin } };
}

/** `~` and `${workspaceFolder}` as users write them in settings. */
export function expand(text: string, input: Pick<LocateInput, "home" | "folders">): string {
  const folder = input.folders[0] ?? "";
  const inFolder = text.replaceAll("${workspaceFolder}", () => folder);
  return inFolder.replace(/^~(?=$|[/\\])/, () => input.home);
}

/** The file that a command names: itself if it has a folder, else the first hit on the search path. */
async function resolveCommand(
  name: string,
  input: LocateInput,
  probe: Probe,
): Promise<string | undefined> {
  if (name.includes("/") || (input.windows && name.includes("\\"))) {
    return (await probe.isFile(name)) ? name : undefined;
  }
  const { delimiter, isAbsolute, join } = paths(input.windows);
  const endings = input.windows ? [".exe", ".cmd", ".bat"] : [""];
  for (const folder of input.searchPath.split(delimiter)) {
    // A relative entry would make the command depend on the open folder.
    if (!isAbsolute(folder)) continue;
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (await probe.isFile(file)) return file;
    }
  }
  return undefined;
}

async function fromServerPath(input: LocateInput, probe: Probe): Promise<Located> {
  const setting = "tl-ascend.server.path";
  const [name = "", ...args] = input.serverPath.map((part) => expand(part, input));
  const command = await resolveCommand(name, input, probe);
  if (command === undefined) {
    return { missing: `${setting} names "${name}", which is not a file or a command.`, setting };
  }
  return { found: { command, args, origin: `setting ${setting}` } };
}

async function fromInterpreter(input: LocateInput, probe: Probe): Promise<Located> {
  const setting = "tl-ascend.interpreter";
  const name = expand(input.interpreter, input);
  const interpreter = await resolveCommand(name, input, probe);
  if (interpreter === undefined) {
    return { missing: `${setting} names "${name}", which is not a file or a command.`, setting };
  }
  if (!(await probe.hasServer(interpreter))) {
    const missing = `The interpreter in ${setting} (${interpreter}) has no tl-ascend.`;
    return { missing, setting, interpreter };
  }
  return viaModule(interpreter, `setting ${setting}`);
}

function venvInterpreter(folder: string, windows: boolean): string {
  const inside = windows ? ["Scripts", "python.exe"] : ["bin", "python"];
  return paths(windows).join(folder, ".venv", ...inside);
}

async function fromVenv(input: LocateInput, probe: Probe): Promise<Located | undefined> {
  for (const folder of input.folders) {
    const interpreter = venvInterpreter(folder, input.windows);
    if ((await probe.isFile(interpreter)) && (await probe.hasServer(interpreter))) {
      return viaModule(interpreter, "workspace .venv");
    }
  }
  return undefined;
}

/** First hit wins; a setting that names something wrong is an error, never skipped in silence. */
export async function locate(input: LocateInput, probe: Probe): Promise<Located> {
  if (input.serverPath.length > 0) return fromServerPath(input, probe);
  if (input.interpreter !== "") return fromInterpreter(input, probe);
  // An interpreter that lies in an untrusted folder must not run.
  const active = input.trusted ? await input.pythonExtensionInterpreter() : undefined;
  if (active !== undefined && (await probe.hasServer(active))) {
    return viaModule(active, "Python extension");
  }
  const venv = input.trusted ? await fromVenv(input, probe) : undefined;
  if (venv !== undefined) return venv;
  const script = await resolveCommand(SERVER_SCRIPT, input, probe);
  if (script !== undefined) return { found: { command: script, args: [], origin: "PATH" } };
  const missing = input.trusted ? NOT_FOUND : NOT_FOUND + NOT_TRUSTED;
  return active === undefined ? { missing } : { missing, interpreter: active };
}
