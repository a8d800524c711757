// The life of the server: found, started, watched, started again with growing delays, stopped.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";

import { RestartPolicy } from "./backoff.ts";
import { choose } from "./choices.ts";
import { type Named, namedHere } from "./listings.ts";
import { locate, type Probe, type ServerCommand } from "./locate.ts";
import { tellCrashed, tellMissing } from "./messages.ts";
import { locateInput, SECTION, sectionAsData } from "./settings.ts";
import type { StatusItem } from "./status.ts";

const SELECTOR = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
];

/** A client whose failures go to the log: the controller alone decides what the user is told. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function sameCommand(a: ServerCommand, b: ServerCommand): boolean {
  return JSON.stringify([a.command, a.args]) === JSON.stringify([b.command, b.args]);
}

/** Commands of the server that the editor carries out itself, with what the server answers. */
export type Show = (kind: "source" | "ir", named: Named | undefined) => Promise<void>;

const SHOWN: Readonly<Record<string, "source" | "ir">> = {
  "tl-ascend.showSource": "source",
  "tl-ascend.showIr": "ir",
};

export class ServerController implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private command: ServerCommand | undefined;
  private told = "";
  private timer: NodeJS.Timeout | undefined;
  private queue: Promise<void> = Promise.resolve();
  private readonly policy = new RestartPolicy();
  private readonly log: vscode.LogOutputChannel;
  private readonly status: StatusItem;
  private readonly probe: Probe;
  private readonly cwd: string;
  /** Set by whoever shows listings. */
  show: Show = async () => {};

  /** `cwd` must hold no Python modules: `python -m` looks there first. */
  constructor(log: vscode.LogOutputChannel, status: StatusItem, probe: Probe, cwd: string) {
    this.log = log;
    this.status = status;
    this.probe = probe;
    this.cwd = cwd;
  }

  /** Starts the server; a running one is left alone. */
  start(): Promise<void> {
    return this.enqueue(async () => {
      if (this.client === undefined) await this.launch();
    });
  }

  /** Stops the server and starts it with whatever is found now. */
  restart(): Promise<void> {
    this.policy.reset();
    this.told = "";
    return this.enqueue(async () => {
      await this.halt();
      await this.launch();
    });
  }

  /** Restarts only when the command that would be found is another one than the running one. */
  restartIfMoved(): Promise<void> {
    return this.enqueue(async () => {
      const located = await locate(locateInput(), this.probe);
      const same = this.command && "found" in located && sameCommand(this.command, located.found);
      if (same && this.client !== undefined) return;
      await this.halt();
      await this.launch();
    });
  }

  /** The client of a running server. */
  get running(): LanguageClient | undefined {
    return this.client?.isRunning() ? this.client : undefined;
  }

  /** The user has come to trust the workspace. */
  async trust(): Promise<void> {
    await this.restartIfMoved();
    await this.running?.sendNotification("tl-ascend/trustGranted", {});
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.halt());
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  /** One thing at a time: a restart during a start waits for it. */
  private enqueue(task: () => Promise<void>): Promise<void> {
    clearTimeout(this.timer);
    this.queue = this.queue.then(task).catch((error: unknown) => {
      this.log.error(error instanceof Error ? error : String(error));
    });
    return this.queue;
  }

  private async launch(): Promise<void> {
    this.status.show({ kind: "starting" });
    const located = await locate(locateInput(), this.probe);
    if ("missing" in located) {
      this.reportMissing(located.missing, located.setting, located.interpreter);
      return;
    }
    this.command = located.found;
    await this.run(located.found);
  }

  private reportMissing(what: string, setting?: string, interpreter?: string): void {
    this.command = undefined;
    this.log.warn(what);
    this.status.show({ kind: "error", reason: "server not found", detail: what });
    if (this.told === what) return;
    this.told = what;
    void tellMissing(what, setting, interpreter);
  }

  private async run(command: ServerCommand): Promise<void> {
    this.status.show({ kind: "starting", command });
    this.log.info(`starting ${JSON.stringify([command.command, ...command.args])}`);
    const client = this.makeClient(command);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      this.onLost(client);
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? "";
    this.log.info(`server ${version} is running`);
    if (this.client === client) this.status.show({ kind: "running", command, version });
  }

  private makeClient(command: ServerCommand): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({
        [SECTION]: sectionAsData(),
        workspaceTrusted: vscode.workspace.isTrusted,
      }),
      middleware: {
        executeCommand: (command, given, next) => this.execute(command, given, next),
      },
      initializationFailedHandler: () => false,
      synchronize: { configurationSection: SECTION },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.onLost(client);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    const executable = {
      command: command.command,
      args: [...command.args],
      options: { cwd: this.cwd },
    };
    const client = new QuietClient(SECTION, "tl-ascend", executable, options);
    return client;
  }

  /** Commands from the palette have no arguments: then they are about the cursor. */
  private async execute(
    command: string,
    given: unknown[],
    next: ExecuteCommandSignature,
  ): Promise<unknown> {
    const named = (given[0] as Named | undefined) ?? namedHere();
    const kind = SHOWN[command];
    if (kind !== undefined) return this.show(kind, named);
    const client = this.running;
    if (command === "tl-ascend.choose" && named !== undefined && client !== undefined) {
      return choose(client, named);
    }
    return next(command, named === undefined ? [] : [named]);
  }

  /** The connection ended without our asking. Called once or twice for one crash. */
  private onLost(client: LanguageClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    const delay = this.policy.afterCrash(Date.now());
    if (delay === undefined) {
      const detail = `The language server stopped ${this.policy.count} times within three minutes.`;
      this.status.show({ kind: "error", reason: "crashed", detail });
      void tellCrashed(this.policy.count);
      return;
    }
    this.log.warn(`the server stopped; starting it again in ${delay} ms`);
    this.status.show({ kind: "starting" });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.start(), delay);
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.status.show({ kind: "stopped" });
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }
}
