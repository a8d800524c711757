// Answers as the Python extension does where tl-ascend asks it; the two interpreters come from the environment.
'use strict';

const vscode = require('vscode');

const [first, second] = process.env.TL_ASCEND_TEST_INTERPRETERS.split(':');

exports.activate = (context) => {
  let active = first;
  const changed = new vscode.EventEmitter();
  const choose = () => {
    active = second;
    changed.fire({ path: active });
  };
  context.subscriptions.push(changed, vscode.commands.registerCommand('stand-in.choose', choose));
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path: active }),
      resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
