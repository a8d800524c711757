-- Read-only buffers beside a kernel: its emitted source, or its IR after a stage. The lines that belong to
-- the one under the cursor are marked, in both directions.

local M = {}

local marks = vim.api.nvim_create_namespace('tl_ascend_listing')
local group = vim.api.nvim_create_augroup('tl_ascend_listing', { clear = true })

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
---@param lines [integer, integer][]
local function follow(own, buffer, lines)
  vim.api.nvim_clear_autocmds({ group = group, buffer = own })
  local function line()
    return vim.api.nvim_win_get_cursor(0)[1] - 1
  end
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = own,
    callback = function()
      if not vim.api.nvim_buf_is_loaded(buffer) then
        return true
      end
      point(buffer, M.lines_of_listing(lines, line()))
    end,
  })
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = buffer,
    callback = function()
      point(own, M.lines_of_file(lines, line()))
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buffer,
    callback = function()
      vim.api.nvim_buf_clear_namespace(own, marks, 0, -1)
    end,
  })
end

---@param own integer
---@param listing tl_ascend.Listing
local function open(own, listing)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(listing.text, '\n', { trimempty = true }))
  pcall(vim.api.nvim_buf_set_name, buffer, ('tl-ascend-source:/%d/%s'):format(buffer, listing.title))
  vim.bo[buffer].filetype = listing.language
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_open_win(buffer, false, { split = 'right', win = vim.fn.bufwinid(own) })
  follow(own, buffer, listing.lines)
  point(buffer, M.lines_of_listing(listing.lines, vim.fn.line('.', vim.fn.bufwinid(own)) - 1))
end

---Shows what became of a kernel.
---@param client vim.lsp.Client
---@param method string
---@param named table `uri`, and `name` with `number` or `line`
---@param own integer the kernel's buffer
function M.show(client, method, named, own)
  client:request(method, named, function(problem, listing)
    local why = problem and problem.message or listing.text == '' and listing.why
    if why then
      vim.notify(why, vim.log.levels.WARN)
    else
      open(own, listing)
    end
  end, own)
end

---The kernel at the cursor.
---@param bufnr integer
---@return table
function M.here(bufnr)
  return { uri = vim.uri_from_bufnr(bufnr), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
end

return M
