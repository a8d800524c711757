// The item in the status bar: what the server is doing, its version, how it was started.

import * as vscode from "vscode";

import type { ServerCommand } from "./locate.ts";

export type Status =
  | { readonly kind: "starting"; readonly command?: ServerCommand }
  | { readonly kind: "running"; readonly command: ServerCommand; readonly version: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "error"; readonly reason: string; readonly detail: string };

const ACTIONS =
  "[Restart](command:tl-ascend.restart) · [Show logs](command:tl-ascend.showLogs) · " +
  `[Settings](command:workbench.action.openSettings?${encodeURIComponent('"tl-ascend"')})`;
const COMMANDS = ["tl-ascend.restart", "tl-ascend.showLogs", "workbench.action.openSettings"];

export function statusText(status: Status): string {
  switch (status.kind) {
    case "starting":
      return "$(sync~spin) tl-ascend: starting";
    case "running":
      return `$(check) tl-ascend ${status.version}`.trimEnd();
    case "stopped":
      return "$(circle-slash) tl-ascend: stopped";
    case "error":
      return `$(error) tl-ascend: ${status.reason}`;
  }
}

function commandLines({ command, args, origin }: ServerCommand): string[] {
  return ["Command:", "```", [command, ...args].join(" "), "```", `Found through: ${origin}`];
}

function tooltipLines(status: Status): string[] {
  switch (status.kind) {
    case "starting":
      return ["Language server is starting.", ...(status.command ? commandLines(status.command) : [])];
    case "running":
      return [`Language server ${status.version} is running.`, ...commandLines(status.command)];
    case "stopped":
      return ["Language server is stopped."];
    case "error":
      return [status.detail];
  }
}

function tooltip(status: Status): vscode.MarkdownString {
  const text = new vscode.MarkdownString([...tooltipLines(status), "", ACTIONS].join("\n\n"));
  text.isTrusted = { enabledCommands: COMMANDS };
  return text;
}

/** Hidden until something was tried, so that plain Python windows stay as they were. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor() {
    this.item = vscode.window.createStatusBarItem("server", vscode.StatusBarAlignment.Right, 50);
    this.item.name = "tl-ascend";
    this.item.command = "tl-ascend.showLogs";
  }

  show(status: Status): void {
    this.item.text = statusText(status);
    this.item.tooltip = tooltip(status);
    this.item.backgroundColor =
      status.kind === "error" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
