// What the user is told when there is no server, and what can be done about it.

import * as vscode from "vscode";

export const INSTALL = "pip install tl-ascend";

/** The command that installs the server into an interpreter, to be pasted into a terminal. */
export function installCommand(interpreter: string | undefined): string {
  if (interpreter === undefined) return INSTALL;
  const quoted = /^[\w./\\:+-]+$/.test(interpreter) ? interpreter : `"${interpreter}"`;
  return `${quoted} -m ${INSTALL}`;
}

async function offer(text: string, actions: Record<string, () => unknown>): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(text, ...Object.keys(actions));
  if (chosen !== undefined) await actions[chosen]?.();
}

const openSettings = (query: string): Thenable<unknown> =>
  vscode.commands.executeCommand("workbench.action.openSettings", query);
const run = (command: string): Thenable<unknown> => vscode.commands.executeCommand(command);

/** The server is not installed, or a setting names the wrong thing. */
export function tellMissing(
  what: string,
  setting: string | undefined,
  interpreter: string | undefined,
): Promise<void> {
  const install = installCommand(interpreter);
  const text = `${what} Install it with "${install}", or say where it is in the settings, then restart.`;
  return offer(text, {
    "Copy Install Command": () => vscode.env.clipboard.writeText(install),
    "Open Settings": () => openSettings(setting ?? "tl-ascend.interpreter"),
    "Restart Server": () => run("tl-ascend.restart"),
  });
}

/** The server failed too often to be started again. */
export function tellCrashed(count: number): Promise<void> {
  return offer(`The tl-ascend language server stopped ${count} times and is left stopped.`, {
    "Show Logs": () => run("tl-ascend.showLogs"),
    "Restart Server": () => run("tl-ascend.restart"),
  });
}
