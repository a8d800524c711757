// The settings of this extension, and how the search for the server reads them.

import { homedir } from "node:os";
import * as vscode from "vscode";

import type { LocateInput } from "./locate.ts";
import { activeInterpreter } from "./python.ts";

export const SECTION = "tl-ascend";

/** Settings that choose the server's process: a change needs a restart. */
const PROCESS_SETTINGS = [`${SECTION}.server.path`, `${SECTION}.interpreter`];

export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return PROCESS_SETTINGS.some((name) => event.affectsConfiguration(name));
}

/** The whole section as plain data, for `initializationOptions`. */
export function sectionAsData(): unknown {
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration(SECTION)));
}

export function locateInput(): LocateInput {
  const section = vscode.workspace.getConfiguration(SECTION);
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    serverPath: section.get<string[]>("server.path", []),
    interpreter: section.get<string>("interpreter", "").trim(),
    pythonExtensionInterpreter: activeInterpreter,
    folders: folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
    searchPath: process.env["PATH"] ?? "",
    home: homedir(),
    trusted: vscode.workspace.isTrusted,
    windows: process.platform === "win32",
  };
}
