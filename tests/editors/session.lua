-- A session of Neovim with the language server: opens a model with a mistake, sees it, mends it by the fix that
-- is offered, asks about a name, checks, and prints what came, a line each. Run by tests/tests/editors.rs.
local program, folder = os.getenv('NARROWS_BIN'), os.getenv('NARROWS_FOLDER')
local said = {}
local function say(...) table.insert(said, table.concat({ ... }, ' ')) end
local function finish(status)
  local out = io.open(folder .. '/said.txt', 'w')
  out:write(table.concat(said, '\n') .. '\n')
  out:close()
  vim.cmd(status == 0 and 'qa!' or 'cquit')
end
local function await(what, condition)
  if not vim.wait(120000, condition, 20) then
    say('waited in vain for ' .. what)
    finish(1)
  end
end

vim.cmd('edit ' .. folder .. '/model.pml')
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = 'narrows', cmd = { program, 'lsp' }, root_dir = folder })
vim.lsp.buf_attach_client(buffer, client)

local function ask(method, parameters)
  local answers = vim.lsp.buf_request_sync(buffer, method, parameters, 120000)
  return answers and answers[client] and answers[client].result
end
local function at(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column } }
end

await('the mistake', function() return #vim.diagnostic.get(buffer) == 1 end)
local mistake = vim.diagnostic.get(buffer)[1]
say('mistake', mistake.lnum, mistake.message:match('^[^\n]*'))

local place = {
  start = { line = mistake.lnum, character = mistake.col },
  ['end'] = { line = mistake.end_lnum, character = mistake.end_col },
}
local actions = ask('textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(buffer),
  range = place,
  context = { diagnostics = { { range = place, message = mistake.message, data = mistake.user_data.lsp.data } } },
})
say('fix', actions[1].title)
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
await('a text without mistakes', function() return #vim.diagnostic.get(buffer) == 0 end)
say('mended', vim.api.nvim_buf_get_lines(buffer, mistake.lnum, mistake.lnum + 1, false)[1])

local declared = ask('textDocument/definition', at(2, 26))
say('definition', declared.range.start.line, declared.range.start.character)
local hover = ask('textDocument/hover', at(2, 26))
say('hover', hover.contents.value:match('^[^\n]*'))
local result = ask('workspace/executeCommand',
  { command = 'narrows.check', arguments = { vim.uri_from_bufnr(buffer) } })
for _, answer in ipairs(result.answers) do say('answer', answer.what, answer.text) end
await('the failing property', function() return #vim.diagnostic.get(buffer) == 1 end)
say('failure', vim.diagnostic.get(buffer)[1].lnum, vim.diagnostic.get(buffer)[1].message)
vim.lsp.stop_client(client)
finish(0)
