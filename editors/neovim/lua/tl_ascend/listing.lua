-- Read-only buffers beside a kernel: its emitted source, or its IR after a stage. The lines that belong to
-- the one under the cursor are marked, in both directions.

local M = {}

local marks = vim.api.nvim_create_namespace('tl_ascend_listing')

---@class tl_ascend.Listing
---@field title string
---@field language string
---@field text string
---@field lines [integer, integer][] lines of the listing and of the kernel's file, from 0
---@field why string

---Lines of the listing that come of a line of the file; where none does, of the one above.
---@param lines [integer, integer][]
---@param line integer
---@return integer[]
function M.lines_of_listing(lines, line)
  local above = -1
  for _, pair in ipairs(lines) do
    if pair[2] <= line and pair[2] > above then
      above = pair[2]
    end
  end
  local found = {}
  for _, pair in ipairs(lines) do
    if pair[2] == above then
      table.insert(found, pair[1])
    end
  end
  return found
end

---Lines of the file behind a line of the listing; for one of our own, behind the one above.
---@param lines [integer, integer][]
---@param row integer
---@return integer[]
function M.lines_of_file(lines, row)
  local best
  for _, pair in ipairs(lines) do
    if pair[1] <= row and (not best or pair[1] >= best[1]) then
      best = pair
    end
  end
  return best and { best[2] } or {}
end

---Marks lines of a buffer and brings the first into view, in every window that shows it.
local function point(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, line in ipairs(lines) do
    if line < count then
      vim.api.nvim_buf_set_extmark(buffer, marks, line, 0, { line_hl_group = 'Visual' })
    end
  end
  local first = lines[1]
  if not first or first >= count then
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_set_cursor(window, { first + 1, 0 })
  end
end

---@param own integer the kernel's buffer
---@param buffer integer the listing's
---@param state { lines: [integer, integer][] }
---@param renew fun()
local function follow(own, buffer, state, renew)
  local group = vim.api.nvim_create_augroup(('tl_ascend_listing_%d'):format(buffer), { clear = true })
  local function on(event, where, callback)
    vim.api.nvim_create_autocmd(event, { group = group, buffer = where, callback = callback })
  end
  local function line()
    return vim.api.nvim_win_get_cursor(0)[1] - 1
  end
  on('CursorMoved', own, function()
    vim.api.nvim_buf_clear_namespace(own, marks, 0, -1)
    point(buffer, M.lines_of_listing(state.lines, line()))
  end)
  on('CursorMoved', buffer, function()
    vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
    point(own, M.lines_of_file(state.lines, line()))
  end)
  on('BufWritePost', own, renew)
  on('BufUnload', buffer, function()
    vim.api.nvim_del_augroup_by_id(group)
    if vim.api.nvim_buf_is_loaded(own) then
      vim.api.nvim_buf_clear_namespace(own, marks, 0, -1)
    end
  end)
end

---Puts the text of a listing into its buffer.
---@param own integer
---@param buffer integer
---@param state { lines: [integer, integer][] }
---@param listing tl_ascend.Listing
local function fill(own, buffer, state, listing)
  local text = listing.text == '' and listing.why or listing.text
  state.lines = listing.lines
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(text, '\n', { trimempty = true }))
  vim.bo[buffer].modifiable = false
  local window = vim.fn.bufwinid(own)
  if window ~= -1 then
    point(buffer, M.lines_of_listing(listing.lines, vim.fn.line('.', window) - 1))
  end
end

---@param own integer
---@param listing tl_ascend.Listing
---@param ask fun(take: fun(listing: tl_ascend.Listing)) asks for it anew
local function open(own, listing, ask)
  local buffer = vim.api.nvim_create_buf(false, true)
  local state = { lines = {} }
  pcall(vim.api.nvim_buf_set_name, buffer, ('tl-ascend-source:/%d/%s'):format(buffer, listing.title))
  vim.bo[buffer].filetype = listing.language
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_open_win(buffer, false, { split = 'right', win = vim.fn.bufwinid(own) })
  fill(own, buffer, state, listing)
  follow(own, buffer, state, function()
    ask(function(new)
      if vim.api.nvim_buf_is_loaded(buffer) then
        fill(own, buffer, state, new)
      end
    end)
  end)
end

---Shows what became of a kernel.
---@param client vim.lsp.Client
---@param method string
---@param named table `uri`, and `name` with `number` or `line`
---@param own integer the kernel's buffer
function M.show(client, method, named, own)
  local function ask(wanted, take)
    client:request(method, wanted, function(problem, listing)
      if problem then
        vim.notify(problem.message, vim.log.levels.WARN)
      else
        take(listing)
      end
    end, own)
  end
  ask(named, function(listing)
    if listing.text == '' then
      vim.notify(listing.why, vim.log.levels.WARN)
      return
    end
    local same = { uri = named.uri, name = listing.name, number = listing.number, stage = named.stage }
    open(own, listing, function(take)
      ask(same, take)
    end)
  end)
end

---The kernel at the cursor.
---@param bufnr integer
---@return table
function M.here(bufnr)
  return { uri = vim.uri_from_bufnr(bufnr), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
end

return M
