-- Enables the server for Python files. To do it yourself instead:
--   vim.g.tl_ascend_enable = false
if vim.g.loaded_tl_ascend then
  return
end
vim.g.loaded_tl_ascend = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('tl-ascend needs Neovim 0.11 or newer', vim.log.levels.WARN)
elseif vim.g.tl_ascend_enable ~= false then
  vim.lsp.enable('tl_ascend')
end
