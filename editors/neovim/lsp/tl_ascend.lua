---@brief
---
--- tl-ascend: checks TileLang kernels for Huawei Ascend NPUs while you type.
---
--- The server comes with the Python package:
---
--- ```sh
--- pip install tl-ascend
--- ```
---
--- Another environment than the one on `PATH`, or other settings:
---
--- ```lua
--- vim.lsp.config('tl_ascend', {
---   cmd = { '/path/to/venv/bin/tl-ascend-server' },
---   settings = { ['tl-ascend'] = { platform = 'A2' } },
--- })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'tl-ascend-server' },
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', '.git' },
  settings = {
    ['tl-ascend'] = {
      platform = 'auto', -- auto, A2, A3 or A5
      upstream = 'snapshot', -- snapshot: also the upstream compiler's limits; none: hardware only
      inlayHints = { buffers = true, values = true, transfers = true, scopes = true, maxLength = 80 },
    },
  },
  before_init = function(params, config)
    params.initializationOptions = config.settings['tl-ascend']
  end,
  on_attach = function(client, bufnr)
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    vim.api.nvim_buf_create_user_command(bufnr, 'TlAscendHints', function()
      local shown = vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr })
      vim.lsp.inlay_hint.enable(not shown, { bufnr = bufnr })
    end, { desc = 'Show or hide the inlay hints of tl-ascend' })
    vim.api.nvim_buf_create_user_command(bufnr, 'TlAscendPlatform', function(args)
      local settings = vim.tbl_deep_extend('force', client.settings, {
        ['tl-ascend'] = { platform = args.args },
      })
      client.settings = settings
      client:notify('workspace/didChangeConfiguration', { settings = settings })
    end, {
      nargs = 1,
      complete = function()
        return { 'auto', 'A2', 'A3', 'A5' }
      end,
      desc = 'Check kernels for another hardware generation',
    })
  end,
}
