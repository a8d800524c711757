// Entry point: waits for the first document that mentions tilelang, then runs the server.

import * as vscode from "vscode";

import { ServerController } from "./controller.ts";
import { isOfInterest, mentionsTilelang } from "./interest.ts";
import { Listings } from "./listings.ts";
import { machineProbe } from "./probe.ts";
import { onInterpreterChange } from "./python.ts";
import { needsRestart } from "./settings.ts";
import { StatusItem } from "./status.ts";

let controller: ServerController | undefined;

function ofInterest(document: vscode.TextDocument): boolean {
  const { languageId, uri } = document;
  return isOfInterest({ languageId, scheme: uri.scheme, text: document.getText() });
}

/** Whether an edit brought the word in: only the edited lines are read. */
function becameOfInterest(event: vscode.TextDocumentChangeEvent): boolean {
  const touched = event.contentChanges.map(({ range, text }) => {
    const last = Math.min(range.start.line + text.split("\n").length, event.document.lineCount) - 1;
    return event.document.getText(new vscode.Range(range.start.line, 0, last + 1, 0));
  });
  return touched.some(mentionsTilelang) && ofInterest(event.document);
}

/** Resolves with the first document that mentions tilelang; listens no longer than that. */
function firstKernel(context: vscode.ExtensionContext): Promise<void> {
  return new Promise((resolve) => {
    if (vscode.workspace.textDocuments.some(ofInterest)) {
      resolve();
      return;
    }
    const listeners: vscode.Disposable[] = [];
    const found = (yes: boolean): void => {
      if (!yes) return;
      for (const listener of listeners) listener.dispose();
      resolve();
    };
    listeners.push(
      vscode.workspace.onDidOpenTextDocument((document) => found(ofInterest(document))),
      vscode.workspace.onDidChangeTextDocument((event) => found(becameOfInterest(event))),
    );
    context.subscriptions.push(...listeners);
  });
}

async function watchChanges(
  context: vscode.ExtensionContext,
  server: ServerController,
): Promise<void> {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart(event)) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.trust()),
  );
  context.subscriptions.push(await onInterpreterChange(() => void server.restartIfMoved()));
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("tl-ascend", { log: true });
  const status = new StatusItem();
  const probe = machineProbe(context.extensionPath, (line) => log.debug(line));
  const server = new ServerController(log, status, probe, context.extensionPath);
  const listings = new Listings(() => server.running);
  server.show = (kind, named) => listings.show(kind, named);
  controller = server;
  context.subscriptions.push(
    log,
    status,
    server,
    listings,
    vscode.commands.registerCommand("tl-ascend.restart", () => server.restart()),
    vscode.commands.registerCommand("tl-ascend.showLogs", () => log.show()),
  );
  void firstKernel(context).then(async () => {
    await server.start();
    await watchChanges(context, server);
  });
}

export function deactivate(): Promise<void> | undefined {
  return controller?.stop();
}
