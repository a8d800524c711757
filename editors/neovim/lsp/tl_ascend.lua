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

---Shows what the server would only answer.
---@param method string
local function shown(method)
  return function(command, context)
    local client = assert(vim.lsp.get_client_by_id(context.client_id))
    require('tl_ascend.listing').show(client, method, command.arguments[1], context.bufnr)
  end
end

---A command for the kernel at the cursor; its words say more.
---@param name string
---@param bufnr integer
---@param description string
---@param run fun(named: table, words: string[])
local function for_kernel(name, bufnr, description, run)
  vim.api.nvim_buf_create_user_command(bufnr, name, function(args)
    run(require('tl_ascend.listing').here(bufnr), args.fargs)
  end, { nargs = '*', desc = description })
end

---Has the server do something, or shows what it answers.
---@param client vim.lsp.Client
---@param bufnr integer
---@return fun(command: string, argument: table)
local function runner(client, bufnr)
  return function(command, argument)
    client:exec_cmd({ title = command, command = command, arguments = { argument } }, { bufnr = bufnr })
  end
end

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
      python = '', -- the interpreter that has torch_npu; empty: the active environment's
      route = 'auto', -- ascendc, pto, or as the kernel's jit says
      headers = {}, -- folders of device headers, instead of our own
      remote = '', -- where to build and run, as ssh takes it; 'none': here, whatever the project says
    },
  },
  commands = {
    ['tl-ascend.showSource'] = shown('tl-ascend/emittedSource'),
    ['tl-ascend.showIr'] = shown('tl-ascend/loweredIr'),
    ['tl-ascend.choose'] = function(command, context)
      local client = assert(vim.lsp.get_client_by_id(context.client_id))
      local run = runner(client, context.bufnr)
      require('tl_ascend.choices').choose(client, command.arguments[1], context.bufnr, run)
    end,
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
    local run = runner(client, bufnr)
    local function executed(command)
      return function(named, words)
        local problem = require('tl_ascend.choices').read(named, words)
        if problem then
          vim.notify(problem, vim.log.levels.WARN)
        else
          run(command, named)
        end
      end
    end
    for_kernel('TlAscendBuild', bufnr, 'Build the kernel', executed('tl-ascend.build'))
    for_kernel('TlAscendRun', bufnr, 'Build the kernel and run it on an NPU', executed('tl-ascend.run'))
    for_kernel('TlAscendChoose', bufnr, 'Choose instance, sizes and device', function(named)
      require('tl_ascend.choices').choose(client, named, bufnr, run)
    end)
    for_kernel('TlAscendSource', bufnr, 'Show the emitted source', function(named)
      require('tl_ascend.listing').show(client, 'tl-ascend/emittedSource', named, bufnr)
    end)
    for_kernel('TlAscendIr', bufnr, 'Show the lowered IR, after a stage', function(named, words)
      named.stage = words[1] or ''
      require('tl_ascend.listing').show(client, 'tl-ascend/loweredIr', named, bufnr)
    end)
  end,
}
