// Asks the user what a kernel is to be built, run or shown with.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import type { Named } from "./listings.ts";
import { asSizes, type Sizes } from "./sizes.ts";

interface Action {
  readonly title: string;
  readonly command: string;
  readonly more?: object;
}

interface Choices {
  readonly name: string;
  readonly instances: readonly { readonly number: number; readonly text: string }[];
  readonly sizes: readonly string[];
  readonly actions: readonly Action[];
  readonly why: string;
}

/** Asks one thing after the other and then does it; a question that is left unanswered ends it. */
export async function choose(client: LanguageClient, named: Named): Promise<void> {
  const choices = await client.sendRequest<Choices>("tl-ascend/choices", named);
  if (choices.why !== "") {
    void vscode.window.showWarningMessage(choices.why);
    return;
  }
  const number = await askInstance(choices);
  if (number === undefined) return;
  const action = await askAction(choices);
  if (action === undefined) return;
  const sizes = action.command === "tl-ascend.run" ? await askSizes(choices.sizes) : {};
  if (sizes === undefined) return;
  const wanted = { ...action.more, uri: named.uri, name: choices.name, number, sizes };
  await vscode.commands.executeCommand(action.command, wanted);
}

async function askInstance({ name, instances }: Choices): Promise<number | undefined> {
  if (instances.length === 1) return instances[0]?.number;
  const items = instances.map(({ number, text }) => ({ label: `${name}.${number}`, detail: text, number }));
  const options = { title: "Which instance?", matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.number;
}

async function askAction({ actions }: Choices): Promise<Action | undefined> {
  const items = actions.map((action) => ({ label: action.title, action }));
  return (await vscode.window.showQuickPick(items, { title: "What is to be done?" }))?.action;
}

async function askSizes(names: readonly string[]): Promise<Sizes | undefined> {
  if (names.length === 0) return {};
  const text = await vscode.window.showInputBox({
    title: `Numbers for ${names.join(", ")}`,
    prompt: "NAME=NUMBER, separated by blanks; what is left out is chosen",
    validateInput: (given) => (typeof asSizes(given, names) === "string" ? String(asSizes(given, names)) : undefined),
  });
  const found = text === undefined ? undefined : asSizes(text, names);
  return typeof found === "string" ? undefined : found;
}
