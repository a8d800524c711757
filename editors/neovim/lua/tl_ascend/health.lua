-- `:checkhealth tl_ascend`: is the server there, which version, is it attached?

local M = {}

local INSTALL = 'Install it with `pip install tl-ascend`, or set `cmd` with vim.lsp.config()'

---@param cmd string[]
---@return boolean found
local function check_command(cmd)
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    vim.health.error(('`%s` is not executable'):format(cmd[1]), { INSTALL })
    return false
  end
  vim.health.ok('server: ' .. path)
  return true
end

---@param cmd string[]
local function check_version(cmd)
  local ok, process = pcall(vim.system, { cmd[1], '--version' }, { text = true, timeout = 20000 })
  local result = ok and process:wait() or { code = -1 }
  if result.code == 0 then
    vim.health.ok('version: ' .. vim.trim(result.stdout))
  else
    vim.health.warn(('`%s --version` failed'):format(cmd[1]), { INSTALL })
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'tl_ascend' })
  if #clients == 0 then
    vim.health.info('not attached: open a Python file')
  end
  for _, client in ipairs(clients) do
    local info = client.server_info or {}
    vim.health.ok(
      ('running: %s %s, root %s, %d buffer(s)'):format(
        info.name or 'server',
        info.version or '?',
        client.root_dir or 'none',
        vim.tbl_count(client.attached_buffers)
      )
    )
  end
end

function M.check()
  vim.health.start('tl-ascend')
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.error('Neovim 0.11 or newer is needed')
    return
  end
  local cmd = vim.lsp.config.tl_ascend.cmd
  if type(cmd) == 'table' and check_command(cmd) then
    check_version(cmd)
  end
  check_clients()
end

return M
