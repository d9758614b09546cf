// Starts the language server, and shows what its commands answer. Nothing is decided here.
'use strict'

const vscode = require('vscode')
const { LanguageClient } = require('vscode-languageclient/node')
const { Workbenches } = require('./workbench')

const LANGUAGES = ['promela', 'smv', 'lotos', 'aut']

let client

/** The address of the text that a command is about: what it was called with, or what is being edited. */
function subject(uri) {
  if (typeof uri === 'string') return uri
  if (uri instanceof vscode.Uri) return uri.toString()
  return vscode.window.activeTextEditor?.document.uri.toString()
}

/** Runs a command of the server, and shows the report. */
async function run(command, uri, output) {
  const about = subject(uri)
  if (!about) {
    vscode.window.showInformationMessage('Narrows: open a model or a study first')
    return
  }
  try {
    const result = await client.sendRequest('workspace/executeCommand', { command, arguments: [about] })
    output.clear()
    output.append(result.report)
    output.show(true)
  } catch (error) {
    vscode.window.showWarningMessage(`Narrows: ${error.message}`)
  }
}

/** Opens the simulator in a terminal. */
function simulate(uri, program) {
  const about = subject(uri)
  if (!about) return
  const file = vscode.Uri.parse(about).fsPath
  const terminal = vscode.window.createTerminal({ name: 'narrows simulate', shellPath: program, shellArgs: ['simulate', file] })
  terminal.show()
}

async function activate(context) {
  const settings = vscode.workspace.getConfiguration('narrows')
  const program = settings.get('path')
  const output = vscode.window.createOutputChannel('Narrows')
  const workbenches = new Workbenches(context, program)
  const workbench = (uri, view) => {
    const about = subject(uri)
    if (about) return workbenches.show(vscode.Uri.parse(about), view)
    vscode.window.showInformationMessage('Narrows: open a model or a study first')
  }
  const folders = settings.get('include').flatMap(folder => ['-I', folder])
  client = new LanguageClient(
    'narrows',
    'Narrows',
    { command: program, args: ['lsp', ...folders] },
    {
      documentSelector: [...LANGUAGES.map(language => ({ language })), { language: 'toml' }],
      initializationOptions: {
        simulates: true,
        checkOnSave: settings.get('checkOnSave'),
        seconds: settings.get('seconds'),
      },
      middleware: {
        // What the server's commands answer is shown, also when a code lens runs them.
        executeCommand: (command, parameters) => run(command, parameters[0], output),
      },
    },
  )
  context.subscriptions.push(
    output,
    workbenches,
    vscode.commands.registerCommand('narrows.workbench', workbench),
    vscode.commands.registerCommand('narrows.checkThis', uri => run('narrows.check', uri, output)),
    vscode.commands.registerCommand('narrows.bottleneckThis', uri => run('narrows.bottleneck', uri, output)),
    vscode.commands.registerCommand('narrows.simulate', uri => simulate(uri, program)),
  )
  try {
    await client.start()
  } catch (error) {
    vscode.window.showErrorMessage(`Narrows: \`${program} lsp\` does not run (${error.message}). Set narrows.path.`)
  }
}

function deactivate() {
  return client?.stop()
}

module.exports = { activate, deactivate }
