// The Python extension, used when it is there. Its API is described as far as it is used.

import * as vscode from "vscode";

interface Environment {
  readonly executable: { readonly uri?: vscode.Uri };
}

interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: { readonly path: string }): Promise<Environment | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (extension === undefined) return undefined;
  return extension.isActive ? extension.exports : await extension.activate();
}

/** The interpreter that the user chose in the Python extension. */
export async function activeInterpreter(): Promise<string | undefined> {
  const environments = (await pythonApi())?.environments;
  if (environments === undefined) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const active = environments.getActiveEnvironmentPath(folder);
  const resolved = await environments.resolveEnvironment(active);
  return resolved?.executable.uri?.fsPath;
}

/** Calls back when the user chooses another interpreter. */
export async function onInterpreterChange(listener: () => void): Promise<vscode.Disposable> {
  const environments = (await pythonApi())?.environments;
  return (
    environments?.onDidChangeActiveEnvironmentPath(listener) ?? new vscode.Disposable(() => {})
  );
}
