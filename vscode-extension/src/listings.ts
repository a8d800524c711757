// Read-only documents beside a kernel: its emitted source, its IR after a stage. The lines that belong to
// the one under the cursor are marked, in both directions.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import {
  asQuery,
  fromQuery,
  type LinePair,
  lineOfFile,
  linesOfListing,
  type Listing,
  type Subject,
} from "./lines.ts";

export const SCHEME = "tl-ascend-source";
const REQUESTS = { source: "tl-ascend/emittedSource", ir: "tl-ascend/loweredIr" } as const;

/** Arguments of the commands: what a lens names, or where the cursor is. */
export interface Named {
  readonly uri: string;
  readonly name?: string;
  readonly number?: number;
  readonly line?: number;
}

/** The kernel at the cursor, for commands that are called without one. */
export function namedHere(): Named | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const subject = editor.document.uri.scheme === SCHEME ? fromQuery(editor.document.uri.query) : undefined;
  if (subject !== undefined) return subject;
  return { uri: editor.document.uri.toString(), line: editor.selection.active.line };
}

interface Stage {
  readonly name: string;
  readonly reason: string;
}

export class Listings implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly maps = new Map<string, readonly LinePair[]>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
  });
  private readonly subscriptions: vscode.Disposable[];
  private readonly client: () => LanguageClient | undefined;

  constructor(client: () => LanguageClient | undefined) {
    this.client = client;
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.follow(textEditor)),
      vscode.workspace.onDidSaveTextDocument((document) => this.renew(document.uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.renewed(document.uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.maps.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const part of [...this.subscriptions, this.changed, this.mark]) part.dispose();
  }

  /** Opens a listing beside the kernel; for IR, after a stage that the user chooses. */
  async show(kind: "source" | "ir", named: Named | undefined): Promise<void> {
    const client = this.client();
    if (client === undefined || named === undefined) return;
    const stage = kind === "ir" ? await this.askStage(client) : "";
    if (stage === undefined) return;
    const listing = await client.sendRequest<Listing>(REQUESTS[kind], { ...named, stage });
    if (listing.text === "") {
      void vscode.window.showWarningMessage(listing.why);
      return;
    }
    const { name = "", number = 0 } = listing;
    const subject: Subject = { kind, uri: named.uri, name, number, stage };
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${listing.title}`, query: asQuery(subject) });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, listing.language);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
    for (const editor of this.editorsOf(named.uri)) this.follow(editor);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const subject = fromQuery(uri.query);
    const client = this.client();
    if (subject === undefined || client === undefined) return "";
    const listing = await client.sendRequest<Listing>(REQUESTS[subject.kind], subject);
    this.maps.set(uri.toString(), listing.lines);
    return listing.text === "" ? listing.why : listing.text;
  }

  private async askStage(client: LanguageClient): Promise<string | undefined> {
    const stages = await client.sendRequest<Stage[]>("tl-ascend/stages");
    const items = stages.map(({ name, reason }) => ({ label: name, detail: reason }));
    const title = "After which stage of lowering?";
    return (await vscode.window.showQuickPick(items.reverse(), { title }))?.label;
  }

  private editorsOf(uri: string): vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === uri);
  }

  private renew(uri: vscode.Uri): void {
    for (const listing of vscode.workspace.textDocuments) {
      const subject = listing.uri.scheme === SCHEME ? fromQuery(listing.uri.query) : undefined;
      if (subject?.uri === uri.toString()) this.changed.fire(listing.uri);
    }
  }

  /** The text of a listing is a new one: what belongs together may have moved. */
  private renewed(uri: vscode.Uri): void {
    const subject = uri.scheme === SCHEME ? fromQuery(uri.query) : undefined;
    for (const editor of this.editorsOf(subject?.uri ?? "")) this.follow(editor);
  }

  private follow(editor: vscode.TextEditor): void {
    const { uri } = editor.document;
    editor.setDecorations(this.mark, []);
    const line = editor.selection.active.line;
    if (uri.scheme === SCHEME) {
      const subject = fromQuery(uri.query);
      const own = lineOfFile(this.maps.get(uri.toString()) ?? [], line);
      for (const other of this.editorsOf(subject?.uri ?? "")) {
        this.point(other, own === undefined ? [] : [own]);
      }
      return;
    }
    for (const other of vscode.window.visibleTextEditors) {
      const subject = other.document.uri.scheme === SCHEME ? fromQuery(other.document.uri.query) : undefined;
      if (subject?.uri !== uri.toString()) continue;
      this.point(other, linesOfListing(this.maps.get(other.document.uri.toString()) ?? [], line));
    }
  }

  private point(editor: vscode.TextEditor, lines: readonly number[]): void {
    const ranges = lines.map((line) => new vscode.Range(line, 0, line, 0));
    editor.setDecorations(this.mark, ranges);
    const first = ranges[0];
    if (first === undefined) return;
    editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}
