-- Runs inside a headless Neovim: nvim --headless --clean -l neovim_session.lua PLUGIN KERNEL FAULTY OUT
-- Opens both kernels as a user would, and writes what the user would see to OUT as JSON.

local plugin, kernel, faulty, out = unpack(_G.arg)
local PATIENCE_MS = 60000

---Waits for something true and returns it.
---@generic T
---@param what string
---@param ask fun(): T?
---@return T
local function await(what, ask)
  local answer
  local ok = vim.wait(PATIENCE_MS, function()
    answer = ask()
    return answer
  end, 20)
  if not ok then
    error('waited in vain for ' .. what)
  end
  return answer
end

local function client()
  return vim.lsp.get_clients({ bufnr = 0, name = 'tl_ascend' })[1]
end

local function open(file)
  vim.cmd.edit(vim.fn.fnameescape(file))
  await('the client to attach to ' .. file, function()
    local found = client()
    return found and found.initialized
  end)
end

local function hint_text(label)
  if type(label) == 'string' then
    return label
  end
  return vim.iter(label):map(function(part)
    return part.value
  end):join('')
end

---Every hint of the buffer: its line, text before it on that line, label.
local function hints()
  local seen = {}
  for _, entry in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    local position = entry.inlay_hint.position
    local line = vim.api.nvim_buf_get_lines(0, position.line, position.line + 1, true)[1]
    local column = vim.str_byteindex(line, client().offset_encoding, position.character)
    table.insert(seen, { before = line:sub(1, column), label = hint_text(entry.inlay_hint.label) })
  end
  return #seen > 0 and seen or nil
end

---Every diagnostic of a buffer, with the text that it underlines.
local function diagnostics(bufnr)
  return vim.iter(vim.diagnostic.get(bufnr)):map(function(found)
    local text = vim.api.nvim_buf_get_text(
      bufnr, found.lnum, found.col, found.end_lnum, found.end_col, {}
    )
    return {
      code = found.code,
      severity = vim.diagnostic.severity[found.severity],
      message = found.message,
      text = table.concat(text, '\n'),
      data = vim.tbl_get(found, 'user_data', 'lsp', 'data'),
    }
  end):totable()
end

local function health()
  vim.cmd.checkhealth('tl_ascend')
  return vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

local function an_error()
  local found = diagnostics(0)
  local fault = vim.iter(found):find(function(one)
    return one.severity == 'ERROR'
  end)
  return fault and found
end

local seen = {}

vim.opt.runtimepath:prepend(plugin)
vim.cmd.runtime('plugin/tl_ascend.lua')

open(kernel)
seen.hints = await('inlay hints', hints)
local clean_buffer = vim.api.nvim_get_current_buf()
seen.settings = client().settings
seen.server = client().server_info
seen.encoding = client().offset_encoding

local function window_of(name)
  return vim.iter(vim.api.nvim_list_wins()):find(function(window)
    return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):find(name, 1, true)
  end)
end

local function current_line()
  return vim.api.nvim_get_current_line()
end

---Moves the cursor as a user does, and tells the editor so.
local function go(window, pattern)
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  assert(vim.fn.search(pattern) > 0, pattern)
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = vim.api.nvim_win_get_buf(window) })
end

---The lines of a window's buffer that are marked.
local function marked(window)
  local space = vim.api.nvim_get_namespaces().tl_ascend_listing
  local buffer = vim.api.nvim_win_get_buf(window)
  return vim.iter(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})):map(function(mark)
    return vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, true)[1]
  end):totable()
end

local kernel_window = vim.api.nvim_get_current_win()
go(kernel_window, 'gemm_v0')
vim.cmd.TlAscendSource()
local source_window = await('the emitted source', function()
  return window_of('.cpp')
end)
vim.api.nvim_set_current_win(source_window)
seen.source_line = current_line()
seen.source_modifiable = vim.bo.modifiable
go(kernel_window, 'T.Kernel')
go(source_window, 'gemm_v0')
vim.api.nvim_set_current_win(kernel_window)
seen.kernel_line = current_line()
seen.kernel_marked, seen.source_marked = marked(kernel_window), marked(source_window)
vim.cmd.TlAscendIr('front-end')
local ir_window = await('the IR', function()
  return window_of('after front-end')
end)
seen.ir_line = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(ir_window), 0, 1, true)[1]

-- Both follow, and are made anew when the kernel is written.
go(kernel_window, 'gemm_v0')
seen.both_marked = { marked(source_window), marked(ir_window) }
vim.api.nvim_set_current_win(kernel_window)
vim.cmd([[%substitute/block_K=64/block_K=32/]])
vim.cmd.write({ mods = { noautocmd = false } })
await('the new IR', function()
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(ir_window), 0, -1, true)
  return table.concat(lines, '\n'):find('128, 32', 1, true)
end)
vim.cmd.undo()
vim.cmd.write()
vim.api.nvim_win_close(ir_window, true)
go(kernel_window, 'gemm_v0')
seen.one_marked = marked(source_window)
vim.api.nvim_win_close(source_window, true)
seen.unmarked = marked(kernel_window)

-- What is to be done is asked.
local asked = {}
vim.ui.select = function(items, options, take)
  table.insert(asked, vim.iter(items):map(options.format_item):totable())
  take(vim.iter(items):find(function(item)
    return item.title == 'Show emitted source'
  end) or items[#items])
end
vim.cmd.TlAscendChoose()
local chosen_window = await('the source that was chosen', function()
  return window_of('.cpp')
end)
seen.asked = asked
vim.api.nvim_win_close(chosen_window, true)
local told = {}
vim.notify = function(text)
  table.insert(told, text)
end
vim.cmd.TlAscendRun('fast')
vim.cmd.TlAscendRun({ args = { 'instance=0', 'nothing=3' } })
seen.told = await('two messages', function()
  return #told == 2 and told
end)

vim.cmd.TlAscendHints()
seen.hints_off = not vim.lsp.inlay_hint.is_enabled({ bufnr = 0 })

open(faulty)
seen.faulty = await('an error', an_error)

vim.cmd([[%substitute/block_N=512/block_N=128/]])
await('the error to vanish', function()
  return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0
end)

vim.cmd.undo()
seen.faulty_again = await('the error to return', an_error)
-- Only now: the server has long since had the time to find fault with the first kernel.
seen.clean = diagnostics(clean_buffer)

vim.cmd.TlAscendPlatform('A2')
seen.platform = client().settings['tl-ascend'].platform
seen.still_faulty = await('the error under another platform', an_error)

seen.health = health()
vim.fn.writefile({ vim.json.encode(seen) }, out)
