// The workbench in a panel: the pages of `narrows serve`, whose requests this extension carries to the server. So it also works
// where the editor's window is on another machine than its files.
'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs/promises')
const http = require('node:http')
const path = require('node:path')
const vscode = require('vscode')

/** A server starts within this many milliseconds. */
const STARTS_WITHIN = 20_000

/** `narrows serve`, of one folder. */
class Server {
  constructor(program, folder) {
    this.child = spawn(program, ['serve', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.address = new Promise((resolve, reject) => {
      let said = ''
      const timer = setTimeout(() => reject(new Error(`\`${program} serve\` does not start`)), STARTS_WITHIN)
      const end = error => {
        clearTimeout(timer)
        this.isGone = true
        reject(error)
      }
      this.child.on('error', end)
      this.child.on('exit', status => end(new Error(`\`${program} serve\` ended with ${status}. ${said.trim()}`)))
      this.child.stderr.on('data', bytes => { said += bytes })
      this.child.stdout.on('data', bytes => {
        said += bytes
        const found = /http:\/\/127\.0\.0\.1:(\d+)\/\?token=(\w+)/.exec(said)
        if (!found) return
        clearTimeout(timer)
        resolve({ port: Number(found[1]), token: found[2] })
      })
    })
    // Who asks is told.
    this.address.catch(() => {})
  }

  /** Sends a request; `told` gets the answer: its status, its pieces, its end, or why there is none. */
  async send(about, body, told) {
    const { port, token } = await this.address
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const request = http.request({ host: '127.0.0.1', port, path: about, method, headers }, answer => {
      answer.setEncoding('utf8')
      told({ status: answer.statusCode })
      answer.on('data', piece => told({ piece }))
      answer.on('end', () => told({}))
      answer.on('error', error => told({ failed: error.message }))
    })
    request.on('error', error => told({ failed: error.message }))
    request.end(body)
    return request
  }

  /** Returns a part of the page. */
  read(about) {
    return new Promise((resolve, reject) => {
      let text = ''
      let status = 0
      const told = one => {
        if (one.status !== undefined) status = one.status
        else if (one.failed !== undefined) reject(new Error(one.failed))
        else if (one.piece !== undefined) text += one.piece
        else if (status === 200) resolve(text)
        else reject(new Error(`${about}: ${text.trim()}`))
      }
      this.send(about, undefined, told).catch(reject)
    })
  }

  end() {
    this.child.kill()
  }
}

/** Opens workbenches, one for each folder. */
class Workbenches {
  constructor(context, program) {
    this.context = context
    this.program = program
    this.servers = new Map()
    this.panels = new Map()
  }

  /** Shows a file in the workbench of its folder. */
  async show(uri, view) {
    const file = uri.fsPath
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(file)
    let { panel } = this.panels.get(folder) ?? {}
    if (!panel) {
      panel = vscode.window.createWebviewPanel('narrows.workbench', 'Narrows', vscode.ViewColumn.Beside, {
        enableScripts: true,
        retainContextWhenHidden: true,
        localResourceRoots: [this.context.globalStorageUri],
      })
      this.follow(panel, folder)
    }
    panel.reveal(undefined, true)
    const name = path.relative(folder, file).split(path.sep).join('/')
    const seen = new URLSearchParams({ file: name, ...(view ? { view } : {}) }).toString()
    this.panels.set(folder, { panel, seen })
    await this.fill(folder)
  }

  /** Loads the page of a panel, in the colours that the editor has now. */
  async fill(folder) {
    const { panel, seen } = this.panels.get(folder)
    try {
      panel.webview.html = await this.page(panel.webview, folder, seen)
    } catch (error) {
      vscode.window.showErrorMessage(`Narrows: ${error.message}. Set narrows.path.`)
      panel.dispose()
    }
  }

  server(folder) {
    let server = this.servers.get(folder)
    if (!server || server.isGone) {
      server = new Server(this.program, folder)
      this.servers.set(folder, server)
    }
    return server
  }

  /** Carries requests of a panel, and tells it what changes in texts. */
  follow(panel, folder) {
    const requests = new Map()
    const isOutside = file => file.startsWith('..') || path.isAbsolute(file)
    const tell = document => {
      const file = path.relative(folder, document.uri.fsPath)
      if (document.uri.scheme === 'file' && !isOutside(file)) {
        panel.webview.postMessage({ file: file.split(path.sep).join('/'), text: document.getText() })
      }
    }
    const subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => tell(document)),
      vscode.window.onDidChangeActiveColorTheme(() => this.fill(folder)),
      panel.webview.onDidReceiveMessage(async ({ number, path: about, body, cancel, file, text }) => {
        if (file !== undefined) {
          const whole = path.join(folder, file)
          return isOutside(path.relative(folder, whole)) ? undefined : write(vscode.Uri.file(whole), text)
        }
        if (cancel) return requests.get(number)?.destroy()
        // What is not saved counts as well.
        if (about === '/api/folder') vscode.workspace.textDocuments.filter(one => one.isDirty).forEach(tell)
        const told = one => {
          panel.webview.postMessage({ number, ...one })
          if (one.failed !== undefined || Object.keys(one).length === 0) requests.delete(number)
        }
        try {
          requests.set(number, await this.server(folder).send(about, body, told))
        } catch (error) {
          told({ failed: error.message })
        }
      }),
    ]
    panel.onDidDispose(() => {
      this.panels.delete(folder)
      this.servers.get(folder)?.end()
      this.servers.delete(folder)
      subscriptions.forEach(one => one.dispose())
    })
  }

  /** Makes the page for a panel, which may load what is written below the extension's storage, and nothing else. */
  async page(webview, folder, seen) {
    const server = this.server(folder)
    const home = vscode.Uri.joinPath(this.context.globalStorageUri, 'workbench')
    await fs.mkdir(home.fsPath, { recursive: true })
    const kind = vscode.window.activeColorTheme.kind
    const isDark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast
    let page = await server.read('/')
    const wanted = [...page.matchAll(/\/assets\/([\w.-]+)/g)].map(([, name]) => name)
    const known = new Set()
    while (wanted.length > 0) {
      const name = wanted.pop()
      if (known.has(name)) continue
      known.add(name)
      let text
      try {
        text = await server.read(`/assets/${name}`)
      } catch (error) {
        // A program that was built without the editor does not have it.
        if (name === 'editor_bundle.js') continue
        throw error
      }
      // The colours are those of the editor, whatever the system prefers.
      if (name.endsWith('.css')) text = themed(text, isDark)
      else if (name !== 'editor_bundle.js') wanted.push(...[...text.matchAll(/"\.\/([\w.-]+\.js)"/g)].map(([, other]) => other))
      await fs.writeFile(path.join(home.fsPath, name), text)
    }
    const nonce = /name="nonce" content="(\w+)"/.exec(page)[1]
    const from = webview.cspSource
    const policy = `default-src 'none'; script-src ${from}; style-src ${from} 'nonce-${nonce}'; img-src ${from} data: blob:`
    page = page.replaceAll('/assets/', `${webview.asWebviewUri(home)}/`)
    return page.replace(
      '<meta charset="utf-8">',
      `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="seen" content="${seen.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`,
    )
  }

  dispose() {
    for (const server of this.servers.values()) server.end()
  }
}

/** Writes a style for a dark or a light editor. */
function themed(text, isDark) {
  const [is, not] = isDark ? ['dark', 'light'] : ['light', 'dark']
  return text
    .replaceAll(`(prefers-color-scheme: ${is})`, 'all')
    .replaceAll(`(prefers-color-scheme: ${not})`, 'not all')
    .replaceAll('color-scheme: light dark', `color-scheme: ${is}`)
}

/** Replaces the text of a document, so that it can be undone and saved. */
async function write(uri, text) {
  const document = await vscode.workspace.openTextDocument(uri)
  if (document.getText() === text) return
  const edit = new vscode.WorkspaceEdit()
  edit.replace(uri, new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length)), text)
  await vscode.workspace.applyEdit(edit)
}

module.exports = { Workbenches }
