// The panel with the workbench, without Visual Studio Code: what it needs of the editor is played here, and `narrows serve` is
// real. Run by tests/tests/editors.rs, with the program and a folder that has model.pml.
'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')

const [program, folder] = process.argv.slice(2)
const uri = file => ({ fsPath: file, scheme: 'file', toString: () => file })
const events = () => {
  const listeners = []
  return { listen: work => { listeners.push(work); return { dispose() {} } }, fire: what => Promise.all(listeners.map(work => work(what))) }
}
const [changed, themed, received, disposed] = [events(), events(), events(), events()]
const sent = []
const panel = {
  webview: {
    cspSource: 'panel:',
    asWebviewUri: one => `panel:${one.fsPath}`,
    postMessage: message => sent.push(message),
    onDidReceiveMessage: received.listen,
    html: '',
  },
  onDidDispose: disposed.listen,
  reveal() {},
  dispose() {},
}
const document = { uri: uri(path.join(folder, 'model.pml')), isDirty: true, text: 'byte other;\n', getText() { return this.text }, positionAt: offset => offset }
const applied = []
const vscode = {
  ColorThemeKind: { Dark: 2, HighContrast: 3 },
  ViewColumn: { Beside: -2 },
  Uri: { file: uri, joinPath: (one, name) => uri(path.join(one.fsPath, name)) },
  Range: class { constructor(start, end) { Object.assign(this, { start, end }) } },
  WorkspaceEdit: class { replace(about, range, text) { Object.assign(this, { about, range, text }) } },
  window: {
    activeColorTheme: { kind: 2 },
    createWebviewPanel: () => panel,
    onDidChangeActiveColorTheme: themed.listen,
    showErrorMessage: message => { throw new Error(message) },
  },
  workspace: {
    textDocuments: [document],
    getWorkspaceFolder: () => ({ uri: uri(folder) }),
    onDidChangeTextDocument: changed.listen,
    openTextDocument: async () => document,
    applyEdit: async edit => applied.push(edit),
  },
}
const load = Module._load
Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest)
const { Workbenches } = require('../src/workbench')

/** Waits until a message is there. */
async function message(is) {
  for (;;) {
    const place = sent.findIndex(is)
    if (place >= 0) return sent.splice(place, 1)[0]
    await new Promise(done => setTimeout(done, 20))
  }
}

/** Asks as the page does, and returns status and text. */
async function ask(number, about, body) {
  await received.fire({ number, path: about, body: JSON.stringify(body) })
  const { status } = await message(one => one.number === number && one.status !== undefined)
  let text = ''
  for (;;) {
    const one = await message(one => one.number === number)
    if (one.piece === undefined) return [status, text, one]
    text += one.piece
  }
}

async function main() {
  const storage = path.join(folder, 'storage')
  const workbenches = new Workbenches({ globalStorageUri: uri(storage) }, program)
  await workbenches.show(document.uri, 'simulator')
  const page = panel.webview.html
  assert.match(page, /<meta name="seen" content="file=model.pml&amp;view=simulator">/)
  assert.match(page, /Content-Security-Policy" content="default-src 'none'; script-src panel:; style-src panel: 'nonce-\w+'/)
  assert.ok(!page.includes('"/assets/') && page.includes(`panel:${path.join(storage, 'workbench')}/main.js`))
  const assets = fs.readdirSync(path.join(storage, 'workbench'))
  for (const name of ['main.js', 'host.js', 'bottleneck.js', 'plain_editor.js', 'style.css', 'drawings.css']) assert.ok(assets.includes(name), name)
  const style = fs.readFileSync(path.join(storage, 'workbench', 'style.css'), 'utf8')
  assert.ok(!style.includes('prefers-color-scheme') && style.includes('color-scheme: dark'))

  // Requests reach the server; what is not saved is told before.
  const [status, text] = await ask(1, '/api/folder', {})
  assert.deepStrictEqual([status, JSON.parse(text).files[0].path], [200, 'model.pml'])
  assert.deepStrictEqual(await message(one => one.file), { file: 'model.pml', text: 'byte other;\n' })
  assert.strictEqual((await ask(2, '/api/read', { file: '../out.pml' }))[0], 422)
  await changed.fire({ document: { ...document, getText: () => 'byte more;\n' } })
  assert.deepStrictEqual(await message(one => one.file), { file: 'model.pml', text: 'byte more;\n' })

  // A run that is cancelled ends.
  const long = 'byte a[8]; active [6] proctype P() { byte i; do :: i = 0; do :: i < 8 -> a[i]++; i++ :: break od od }'
  const body = { file: 'long.pml', texts: { 'long.pml': long }, task: 'check', place: 'a', seconds: 3600 }
  await received.fire({ number: 3, path: '/api/run', body: JSON.stringify(body) })
  await message(one => one.number === 3 && one.piece?.includes('progress'))
  await received.fire({ number: 3, cancel: true })
  await message(one => one.number === 3 && one.failed !== undefined)

  // What the page writes becomes an edit; nothing outside of the folder does.
  await received.fire({ file: 'model.pml', text: 'byte written;\n' })
  assert.deepStrictEqual([applied.length, applied[0].text, applied[0].range.end], [1, 'byte written;\n', document.text.length])
  await received.fire({ file: '../out.pml', text: 'byte written;\n' })
  assert.strictEqual(applied.length, 1)

  const { child } = workbenches.server(folder)
  await disposed.fire()
  await new Promise(done => child.on('exit', done))
  console.log('the panel works')
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
